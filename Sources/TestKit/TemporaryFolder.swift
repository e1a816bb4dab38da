import Foundation

/// A folder of its own for one test, gone when the test lets go of it.
public final class TemporaryFolder: Sendable {
    /// The folder's path.
    public let path: String

    /// Makes a folder with a random name under the system's temporary one.
    /// - Throws: what `FileManager` throws where the folder cannot be made.
    public init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("coexist-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a name in the folder.
    public func file(_ name: String) -> String { path + "/" + name }
}
