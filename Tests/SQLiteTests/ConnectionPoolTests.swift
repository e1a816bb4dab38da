import Foundation
import SQLite
import Synchronization
import Testing

@Suite
struct ConnectionPoolTests {
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase()
    }

    @Test("connections are opened as they are needed, used again, and never lent twice at once")
    func reuse() async throws {
        let keeper = try database.prepared()
        let opened = Mutex(0)
        let pool = ConnectionPool(limit: 2) { [database] in
            opened.withLock { $0 += 1 }
            return try database.connect(.readOnly)
        }
        try pool.use { _ in try pool.use { _ in } }
        try pool.use { _ in }
        #expect(opened.withLock { $0 } == 2)

        let lent = Lent()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try pool.use { connection in
                        let isAlone = lent.take(connection)
                        defer { lent.giveBack(connection) }
                        _ = try connection.query("SELECT * FROM t")
                        return isAlone
                    }
                }
            }
            for try await isAlone in group { #expect(isAlone) }
        }
        #expect(opened.withLock { $0 } == 2)
        _ = keeper
    }

    @Test("a transaction that a borrower left open is rolled back")
    func leftOpen() throws {
        let keeper = try database.prepared()
        let pool = ConnectionPool(limit: 1) { [database] in try database.connect(.readWrite) }
        try pool.use { try $0.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)") }
        try keeper.execute("INSERT INTO t VALUES (2)")
        #expect(try pool.use { try $0.query("SELECT a FROM t") } == [[2]])
    }

    /// The last connection to close moves the log into the file and removes it, if it may write.
    @Test("what is lent out is closed when the pool says so")
    func closing() throws {
        for _ in 0..<10 {
            let database = try TestDatabase()
            var writer: Connection? = try database.prepared()
            try writer?.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
                INSERT INTO t SELECT zeroblob(4000) FROM n
                """)
            let pool = ConnectionPool(limit: 1) { try database.connect(.readOnly) }
            let isLent = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                // What it holds in its cache takes a while to let go of.
                try? pool.use { connection in
                    try connection.execute("PRAGMA cache_size=-100000")
                    isLent.signal()
                    _ = try connection.scalar("SELECT sum(length(a)) FROM t WHERE a <> x'01'")
                }
            }
            isLent.wait()
            pool.close()
            #expect(FileManager.default.fileExists(atPath: database.path + "-wal"))
            writer = nil
            #expect(!FileManager.default.fileExists(atPath: database.path + "-wal"))
            withExtendedLifetime(writer) {}
        }
    }

    @Test("a connection that cannot be opened leaves its place free")
    func failure() throws {
        let pool = ConnectionPool(limit: 1) { [database] in try database.connect(.readWrite) }
        for _ in 0..<3 { #expect(throws: SQLiteError.self) { try pool.use { _ in } } }
        let keeper = try database.prepared()
        try pool.use { _ in }
        _ = keeper
    }

    @Test("a closed pool lends nothing more, and its connections are closed")
    func closed() throws {
        do {
            let keeper = try database.prepared()
            let pool = ConnectionPool(limit: 2) { [database] in try database.connect(.readWrite) }
            try pool.use { _ = try $0.query("SELECT * FROM t") }
            pool.close()
            #expect(throws: ConnectionPool.PoolClosed.self) { try pool.use { _ in } }
            _ = keeper
        }
        #expect(RawFile.read(database.path) { _ in true } == true)
    }
}

/// The connections that are in somebody's hands.
private final class Lent: Sendable {
    private let identities = Mutex<Set<ObjectIdentifier>>([])

    func take(_ connection: Connection) -> Bool {
        identities.withLock { $0.insert(ObjectIdentifier(connection)).inserted }
    }

    func giveBack(_ connection: Connection) {
        identities.withLock { _ = $0.remove(ObjectIdentifier(connection)) }
    }
}
