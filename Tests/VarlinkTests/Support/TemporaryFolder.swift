import Foundation

/// A folder that goes with its owner. Its path is short: a socket's address holds 107 bytes.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let name = "vl-" + UUID().uuidString.prefix(13)
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func file(_ name: String) -> String { path + "/" + name }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
