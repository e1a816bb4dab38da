import Foundation

/// Every file under a folder with its bytes.
struct FolderContents {
    var files: [String: Data] = [:]

    init(_ folder: String) throws {
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) where !name.hasSuffix("-shm") {
            files[name] = FileManager.default.contents(atPath: "\(folder)/\(name)")
        }
    }
}
