import Foundation
import SQLite
import Testing

@Suite
struct RawFileTests {
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase()
    }

    @Test("a file is not read raw while a connection of this process has it open")
    func refused() throws {
        do {
            let connection = try database.prepared()
            #expect(RawFile.read(database.path) { _ in true } == nil)
            // By whatever name.
            let link = database.folder + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: database.path)
            #expect(RawFile.read(link) { _ in true } == nil)
            let second = try database.connect()
            _ = (connection, second)
        }
        #expect(RawFile.read(database.path) { _ in true } == true)
    }

    @Test("a connection closes when it is let go, also with statements in its cache")
    func closes() throws {
        do {
            let connection = try database.prepared()
            _ = try connection.query("SELECT * FROM t")
            try connection.run("INSERT INTO t VALUES (?)", [1])
        }
        #expect(RawFile.read(database.path) { _ in true } == true)
        // The last connection to close moves the log into the file and removes it.
        #expect(!FileManager.default.fileExists(atPath: database.path + "-wal"))
    }

    @Test("a statement that its caller keeps keeps the connection")
    func kept() throws {
        var statement: Statement? = try database.prepared().prepare("INSERT INTO t VALUES (1)")
        try statement?.run()
        #expect(RawFile.read(database.path) { _ in true } == nil)
        statement = nil
        #expect(RawFile.read(database.path) { _ in true } == true)
    }

    @Test("the body's error goes through")
    func throwing() throws {
        #expect(throws: CancellationError.self) {
            try RawFile.read(database.path) { _ in throw CancellationError() } as Void?
        }
        #expect(RawFile.read(database.path) { $0 } == database.path)
    }
}
