import Foundation
import SQLite
import Testing

/// A folder with a database of its own, gone with the test.
final class TestDatabase: Sendable {
    let folder: String
    var path: String { folder + "/test.db" }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sqlite-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func connect(_ mode: Connection.OpenMode = .readWriteCreate, busyTimeout: Int = 0) throws -> Connection {
        try Connection(path: path, mode: mode, busyTimeout: busyTimeout)
    }

    /// A connection in WAL mode with a table of one column.
    func prepared() throws -> Connection {
        let connection = try connect()
        try connection.execute("PRAGMA journal_mode=WAL; CREATE TABLE t (a)")
        return connection
    }
}
