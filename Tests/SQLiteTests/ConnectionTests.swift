import Foundation
import SQLite
import Testing

@Suite
struct ConnectionTests {
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase()
    }

    @Test(
        "a path with characters that mean something in a URI is taken as it is",
        arguments: ["a%20b", "what?", "#1", "ä 🦆", "/double"])
    func paths(_ name: String) throws {
        let path = database.folder + "/" + name
        try Connection(path: path, mode: .readWriteCreate).execute("CREATE TABLE t (a)")
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(try Connection(path: path, mode: .immutable).scalar("SELECT count(*) FROM t") == 0)
    }

    @Test("a file that is not there is made only where that was asked for")
    func missing() throws {
        let error = #expect(throws: SQLiteError.self) { try database.connect(.readWrite) }
        #expect(error?.isCannotOpen == true)
        #expect(!FileManager.default.fileExists(atPath: database.path))
    }

    @Test("a connection that reads only refuses to write")
    func readOnly() throws {
        let writer = try database.prepared()
        let reader = try database.connect(.readOnly)
        let error = #expect(throws: SQLiteError.self) { try reader.execute("INSERT INTO t VALUES (1)") }
        #expect(error?.isReadOnly == true)
        _ = writer
    }

    @Test("a transaction whose body throws leaves nothing, a savepoint only what came before it")
    func rollback() throws {
        let connection = try database.prepared()
        #expect(throws: CancellationError.self) {
            try connection.transaction(.immediate) {
                try connection.execute("INSERT INTO t VALUES (1)")
                throw CancellationError()
            }
        }
        #expect(!connection.isInTransaction)
        try connection.transaction(.immediate) {
            try connection.execute("INSERT INTO t VALUES (2)")
            try? connection.savepoint("inner") {
                try connection.execute("INSERT INTO t VALUES (3)")
                throw CancellationError()
            }
        }
        #expect(try connection.query("SELECT a FROM t") == [[2]])
    }

    @Test("a held lock is an error that says busy, at once where the timeout is 0")
    func busy() throws {
        let (first, second) = (try database.prepared(), try database.connect())
        try first.execute("BEGIN IMMEDIATE")
        let error = #expect(throws: SQLiteError.self) { try second.execute("BEGIN IMMEDIATE") }
        #expect(error?.isBusy == true)
        try first.execute("COMMIT")
        try second.execute("BEGIN IMMEDIATE")
        #expect(second.busyTimeout == 0)
    }

    @Test("a waiter gets the lock when its holder lets go")
    func waits() async throws {
        let first = try database.prepared()
        try first.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
        let (started, begin) = AsyncStream.makeStream(of: Void.self)
        let waiter = Task.detached { [database] in
            let second = try database.connect(busyTimeout: 60_000)
            begin.finish()
            try second.transaction(.immediate) { try second.execute("INSERT INTO t VALUES (2)") }
        }
        for await _ in started {}
        try first.execute("COMMIT")
        try await waiter.value
        #expect(try first.scalar("SELECT count(*) FROM t") == 2)
    }

    @Test("a read transaction that is too old to write from says so")
    func snapshotConflict() throws {
        let (first, second) = (try database.prepared(), try database.connect())
        try second.execute("BEGIN")
        _ = try second.query("SELECT * FROM t")
        try first.execute("INSERT INTO t VALUES (1)")
        let error = #expect(throws: SQLiteError.self) { try second.execute("INSERT INTO t VALUES (2)") }
        #expect(error?.isSnapshotConflict == true)
        second.rollback()
        try second.execute("INSERT INTO t VALUES (2)")
    }

    @Test("functions take and give every class of value")
    func functions() throws {
        let connection = try database.prepared()
        try connection.createFunction("same", argumentCount: 1) { $0[0] }
        try connection.createFunction("kinds", argumentCount: -1, isDeterministic: false) { .integer(Int64($0.count)) }
        for value in StatementTests.values {
            #expect(try connection.scalar("SELECT same(?)", [value]) == .some(value))
        }
        #expect(try connection.scalar("SELECT kinds(1, 'a', NULL, x'00')") == 4)
        #expect(connection.hasFunction("same"))
        #expect(!connection.hasFunction("other"))
        // A registration replaces the one before.
        try connection.createFunction("same", argumentCount: 1) { _ in .text("new") }
        #expect(try connection.scalar("SELECT same(1)") == "new")
    }

    @Test("triggers of the main schema can be switched off, temporary ones run on")
    func triggers() throws {
        let connection = try database.prepared()
        try connection.execute(
            """
            CREATE TABLE log (a);
            CREATE TRIGGER main_one AFTER INSERT ON t BEGIN INSERT INTO log VALUES ('main'); END;
            CREATE TEMP TRIGGER temp_one AFTER INSERT ON main.t BEGIN INSERT INTO log VALUES ('temp'); END
            """)
        try connection.setMainTriggersEnabled(false)
        try connection.execute("INSERT INTO t VALUES (1)")
        #expect(try connection.query("SELECT a FROM log") == [["temp"]])
        try connection.setMainTriggersEnabled(true)
        try connection.execute("INSERT INTO t VALUES (2)")
        #expect(try connection.scalar("SELECT count(*) FROM log") == 3)
    }

    @Test("an interrupted statement says so")
    func interrupted() throws {
        let connection = try database.prepared()
        try connection.createFunction("stop", argumentCount: 0, isDeterministic: false) {
            [interrupter = connection.interrupter] _ in
            interrupter()
            return .null
        }
        let error = #expect(throws: SQLiteError.self) {
            try connection.query(
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT stop() FROM n"
            )
        }
        #expect(error?.isInterrupted == true)
    }
}
