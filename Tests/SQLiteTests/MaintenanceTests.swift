import Foundation
import SQLite
import Testing

@Suite
struct MaintenanceTests {
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase()
    }

    @Test("the WAL index counts each commit once, and no checkpoint")
    func changeCount() throws {
        let connection = try database.prepared()
        let other = try database.connect()
        let start = try #require(try connection.walChangeCount())
        try connection.execute("INSERT INTO t VALUES (1)")
        try other.execute("INSERT INTO t VALUES (2)")
        #expect(try connection.walChangeCount() == start + 2)
        try connection.transaction(.immediate) {
            try connection.execute("INSERT INTO t VALUES (3); INSERT INTO t VALUES (4)")
        }
        #expect(try connection.walChangeCount() == start + 3)
        _ = try connection.checkpoint(.full)
        #expect(try connection.walChangeCount() == start + 3)
        _ = try connection.query("SELECT * FROM t")
        #expect(try connection.walChangeCount() == start + 3)
    }

    @Test("frames of a transaction that has not been committed show in the log")
    func uncommittedFrames() throws {
        let (reader, writer) = (try database.prepared(), try database.connect())
        #expect(try !reader.hasUncommittedFrames())
        // What does not fit in the cache goes to the log before its commit.
        try writer.execute("PRAGMA cache_size=4; BEGIN IMMEDIATE")
        for _ in 0..<20 { try writer.execute("INSERT INTO t VALUES (zeroblob(100000))") }
        #expect(try reader.hasUncommittedFrames())
        try writer.execute("COMMIT")
        #expect(try !reader.hasUncommittedFrames())
        // The log begins anew: what stands in it from before is nobody's.
        #expect(try writer.checkpoint(.restart).isComplete)
        try writer.execute("INSERT INTO t VALUES (1)")
        #expect(try !reader.hasUncommittedFrames())
    }

    @Test("outside WAL mode there is no such count")
    func noWAL() throws {
        let connection = try database.connect()
        try connection.execute("CREATE TABLE t (a)")
        #expect(try connection.walChangeCount() == nil)
        #expect(try !connection.hasUncommittedFrames())
    }

    @Test("the data version changes with another connection's commits only")
    func dataVersion() throws {
        let (one, two) = (try database.prepared(), try database.connect())
        let start = try one.dataVersion()
        try one.execute("INSERT INTO t VALUES (1)")
        #expect(try one.dataVersion() == start)
        try two.execute("INSERT INTO t VALUES (1)")
        #expect(try one.dataVersion() != start)
    }

    @Test("no commit checkpoints by itself, and a checkpoint says what it did")
    func checkpoints() throws {
        let connection = try database.prepared()
        for _ in 0..<1_200 { try connection.execute("INSERT INTO t VALUES (zeroblob(5000))") }
        #expect(connection.logFrames > 1_000)
        let result = try connection.checkpoint(.truncate)
        #expect(result.isComplete)
        let size = try FileManager.default.attributesOfItem(atPath: database.path + "-wal")[.size] as? Int
        #expect(size == 0)
    }

    @Test("a checkpoint that readers hold back is not complete, and no error")
    func heldBack() throws {
        let (writer, reader) = (try database.prepared(), try database.connect())
        try reader.execute("BEGIN")
        _ = try reader.query("SELECT * FROM t")
        try writer.execute("INSERT INTO t VALUES (1)")
        #expect(try !writer.checkpoint(.truncate).isComplete)
        try reader.execute("COMMIT")
        #expect(try writer.checkpoint(.truncate).isComplete)
    }

    @Test("a backup is the database as of one moment, log included")
    func backup() throws {
        let connection = try database.prepared()
        for i in 0..<600 {
            try connection.run("INSERT INTO t VALUES (?)", [.text(String(repeating: "x", count: 9_000) + "\(i)")])
        }
        let target = database.folder + "/backup.db"
        var steps: [(Int, Int)] = []
        try connection.backup(to: target) { steps.append(($0, $1)) }
        #expect(steps.count > 1)
        #expect(steps.last?.0 == 0)
        let copy = try Connection(path: target, mode: .readWrite)
        #expect(try copy.query("SELECT * FROM t") == connection.query("SELECT * FROM t"))
        #expect(try copy.integrityProblems() == [])
    }

    @Test("damage is named")
    func damage() throws {
        do {
            let connection = try database.connect()
            try connection.execute("CREATE TABLE t (a); CREATE INDEX i ON t (a); INSERT INTO t VALUES (1), (2)")
            try connection.execute(
                "PRAGMA writable_schema=ON; UPDATE sqlite_master SET rootpage = 2 WHERE name = 'i'; PRAGMA writable_schema=OFF"
            )
        }
        let connection = try database.connect()
        let problems = (try? connection.integrityProblems()) ?? ["malformed"]
        #expect(problems != [])
    }
}
