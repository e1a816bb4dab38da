import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// A write-ahead log beside a file that it does not belong to.
@Suite struct StaleLogTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.sqlite") }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A store whose log holds rows, as a program leaves it that was killed: file and log, copied while it is open.
    ///
    /// - Parameter rounds: how often the store was opened, grew and was closed before.
    private func make(_ name: String, rows: Int, rounds: Int = 0) throws -> (file: Data, log: Data) {
        let place = folder.file(name)
        try StoreCreator.create(place, model: SampleModels.library)
        for _ in 0..<rounds {
            try Connection(path: place, mode: .readWrite).execute(
                "INSERT INTO ZCARD (Z_ENT, ZNUMBER) VALUES (3, zeroblob(9000))")
        }
        let connection = try Connection(path: place, mode: .readWrite)
        for i in 0..<rows {
            try connection.run(
                "INSERT INTO ZTAG (Z_ENT, Z_OPT, ZNAME) VALUES (7, 1, ?)",
                [.text("\(name) \(i) " + String(repeating: "x", count: 900))])
        }
        defer { StoreBackup.remove(place) }
        return (try bytes(place), try bytes(place + "-wal"))
    }

    private func bytes(_ path: String) throws -> Data { try #require(FileManager.default.contents(atPath: path)) }

    private func lay(_ file: Data, _ log: Data) throws {
        try file.write(to: URL(fileURLWithPath: path))
        try log.write(to: URL(fileURLWithPath: path + "-wal"))
    }

    private func expectRefusal(_ location: SourceLocation = #_sourceLocation) throws {
        let before = try FolderContents(folder.path)
        let error = expectStoreError(.staleLog, location) { _ = try Store.open(path) }
        #expect(error?.message.contains(path + "-wal") == true, sourceLocation: location)
        #expect(try FolderContents(folder.path).files == before.files, sourceLocation: location)
        #expect(!FileManager.default.fileExists(atPath: path + "-shm"), sourceLocation: location)
    }

    @Test("a log that belongs to the file is read")
    func own() throws {
        let store = try make("own", rows: 30)
        try lay(store.file, store.log)
        #expect(try Store.open(path).layout["Tag"] != nil)
        let connection = try StoreConnector.offlineReader(path)
        #expect(try connection.scalar("SELECT count(*) FROM ZTAG") == .integer(30))
    }

    @Test("a log of another store")
    func otherStore() throws {
        let store = try make("a", rows: 5)
        let other = try make("b", rows: 40, rounds: 3)
        try lay(store.file, other.log)
        try expectRefusal()
    }

    @Test("a log of another store whose counters agree, but which holds the other's metadata")
    func otherUUID() throws {
        let store = try make("a", rows: 5)
        let place = folder.file("b")
        try StoreCreator.create(place, model: SampleModels.library)
        let connection = try Connection(path: place, mode: .readWrite)
        try connection.execute("UPDATE Z_METADATA SET Z_VERSION = 1")
        try lay(store.file, try bytes(place + "-wal"))
        StoreBackup.remove(place)
        try expectRefusal()
    }

    @Test("an older copy of the same file under the newer one's log")
    func olderFile() throws {
        let place = folder.file("s")
        try StoreCreator.create(place, model: SampleModels.library)
        let old = try bytes(place)
        func grow(_ connection: Connection) throws {
            try connection.execute("INSERT INTO ZTAG (Z_ENT, ZNAME) VALUES (7, hex(randomblob(5000)))")
        }
        for _ in 0..<3 { try grow(Connection(path: place, mode: .readWrite)) }
        let connection = try Connection(path: place, mode: .readWrite)
        try grow(connection)
        try lay(old, try bytes(place + "-wal"))
        try expectRefusal()
    }

    @Test("an older copy of an adopted store, whose commits are counted, also where one connection made them all")
    func olderAdoptedFile() throws {
        let sample = try SampleStore()
        try sample.adopt()
        let authority = try sample.authority()
        func save(_ name: String) throws { try sample.insert("Tag", ["name": .string(name)], authority) }
        try save("a")
        _ = try sample.connection.checkpoint(.truncate)
        let old = try bytes(sample.path)
        try save("b")
        _ = try sample.connection.checkpoint(.truncate)
        try save("c")
        try lay(old, try bytes(sample.path + "-wal"))
        try expectRefusal()
        try lay(try bytes(sample.path), try bytes(sample.path + "-wal"))
        #expect(throws: Never.self) { _ = try Store.open(path) }
    }

    @Test("the log of another adopted store")
    func otherAdopted() throws {
        let samples = try (0..<2).map { _ in try SampleStore() }
        for sample in samples {
            try sample.adopt()
            try sample.connection.execute("UPDATE COEXIST_STATE SET ADOPTED = \(sample === samples[0] ? 1 : 2)")
            _ = try sample.connection.checkpoint(.truncate)
        }
        try samples[1].insert("Tag", ["name": .string("a")], try samples[1].authority())
        try lay(try bytes(samples[0].path), try bytes(samples[1].path + "-wal"))
        try expectRefusal()
    }

    @Test("a newer copy of the same file over an older log")
    func newerFile() throws {
        let place = folder.file("s")
        try StoreCreator.create(place, model: SampleModels.library)
        let connection = try Connection(path: place, mode: .readWrite)
        func insert(_ text: String) throws {
            try connection.run(
                "INSERT INTO ZTAG (Z_ENT, ZNAME) VALUES (7, ?)", [.text(text + String(repeating: "x", count: 9000))])
        }
        try insert("first")
        let log = try bytes(place + "-wal")
        for i in 0..<3 {
            _ = try connection.checkpoint(.truncate)
            // Another connection in between makes the next one read page 1, and its counter, anew.
            try Connection(path: place, mode: .readWrite).execute(
                "INSERT INTO ZTAG (Z_ENT, ZNAME) VALUES (7, zeroblob(9000 + \(i)))")
            try insert("\(i)")
        }
        _ = try connection.checkpoint(.truncate)
        try lay(try bytes(place), log)
        try expectRefusal()
    }

    @Test("a log with pages of another size")
    func pageSize() throws {
        let store = try make("a", rows: 5)
        let place = folder.file("p")
        let connection = try Connection(path: place, mode: .readWriteCreate)
        try connection.execute("PRAGMA page_size=8192; PRAGMA journal_mode=WAL; CREATE TABLE t (a)")
        try lay(store.file, try bytes(place + "-wal"))
        StoreBackup.remove(place)
        try expectRefusal()
    }

    @Test("after any mix of commits and checkpoints, file and log agree", arguments: 1...3)
    func mixed(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let place = folder.file("m")
        try StoreCreator.create(place, model: SampleModels.library)
        let connections = try (0..<2).map { _ in try Connection(path: place, mode: .readWrite) }
        for i in 0..<150 {
            let connection = connections[Int(random.next() % 2)]
            switch random.next() % 6 {
            case 0: _ = try connection.checkpoint([.full, .restart, .truncate][Int(random.next() % 3)])
            case 1: try connection.execute("DELETE FROM ZTAG WHERE Z_PK % 5 = \(random.next() % 5)")
            case 2: try connection.execute("UPDATE ZTAG SET ZNAME = zeroblob(20) || Z_PK WHERE Z_PK % 7 = 0")
            default:
                try connection.run(
                    "INSERT INTO ZTAG (Z_ENT, ZNAME) VALUES (7, ?)",
                    [.text("\(i)" + String(repeating: "x", count: Int(random.next() % 5_000)))])
            }
            try lay(try bytes(place), try bytes(place + "-wal"))
            #expect(throws: Never.self) { _ = try Store.open(path) }
        }
    }

    @Test("a copy without its log opens at the last checkpoint")
    func withoutLog() throws {
        let store = try make("a", rows: 30)
        try store.file.write(to: URL(fileURLWithPath: path))
        _ = try Store.open(path)
        let connection = try StoreConnector.offlineReader(path)
        #expect(try connection.scalar("SELECT count(*) FROM ZTAG") == .integer(0))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.sqlite"])
    }

    @Test("a store whose rows are all in the log is read, and the file stays as it was")
    func logAlone() throws {
        let place = folder.file("l")
        // A rollback journal's first page and nothing else: the tables come with the log.
        let connection = try Connection(path: place, mode: .readWriteCreate)
        try connection.execute("PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL; CREATE TABLE t (a)")
        _ = try connection.checkpoint(.truncate)
        try connection.execute("DROP TABLE t")
        let made = folder.file("made")
        try StoreCreator.create(made, model: SampleModels.library)
        try connection.execute("ATTACH '\(made)' AS made")
        for row in try connection.query("SELECT sql, name FROM made.sqlite_master WHERE type = 'table'") {
            guard let sql = row[0].textValue, let name = row[1].textValue else { continue }
            try connection.execute(sql)
            try connection.execute("INSERT INTO main.\(name) SELECT * FROM made.\(name)")
        }
        try connection.execute("INSERT INTO ZTAG (Z_ENT, ZNAME) VALUES (7, 'only in the log')")
        try lay(try bytes(place), try bytes(place + "-wal"))
        let before = try bytes(path)
        #expect(before.count <= 3 * 4096)
        _ = try Store.open(path)
        let reader = try StoreConnector.offlineReader(path)
        #expect(try reader.scalar("SELECT ZNAME FROM ZTAG") == .text("only in the log"))
        #expect(try bytes(path) == before)
    }
}
