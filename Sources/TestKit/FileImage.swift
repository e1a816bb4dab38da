import Foundation
import StoreModel

/// The bytes of every file under a folder, as digests: to see that nothing changed.
public enum FileImage {
    /// Each file's digest by its path below the folder.
    public static func of(_ folder: String) throws -> [String: String] {
        var image: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            guard let data = FileManager.default.contents(atPath: folder + "/" + path) else { continue }
            image[path] = SHA256.hash(data).map { String($0, radix: 16) }.joined(separator: ".")
        }
        return image
    }
}
