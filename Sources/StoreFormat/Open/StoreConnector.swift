import Foundation
import SQLite

/// Makes connections that are safe to read and write a Core Data store with.
public enum StoreConnector {
    /// What a connection is for.
    public enum Role: Sendable, Hashable {
        /// Reads beside writers.
        case reader
        /// Reads and writes; our guard's triggers do not run on it, everyone else's do.
        case writer(Durability)
    }

    /// How far a commit has got when it returns.
    public enum Durability: String, Sendable, Hashable {
        /// On the disk (`synchronous=FULL`).
        case full
        /// Consistent after a power cut, but the last commits may be lost (`synchronous=NORMAL`).
        case normal
    }

    /// A connection that reads without leaving anything behind or changing a byte, sidecars included: for commands on a
    /// store that may have no daemon.
    ///
    /// A store that some process has open is read beside it. Of one that nobody has open, a WAL store without a log is
    /// read as immutable, and one with a log from a private copy: SQLite would rebuild the log's index beside it.
    public static func offlineReader(_ path: String) throws -> Connection {
        let path = RealPath.of(path)
        let connection: Connection
        switch RawFile.read(path, { QuietStore.reading($0) }) ?? .plain {
        case .plain: connection = try plainReader(path)
        case .immutable: connection = try Connection(path: path, mode: .immutable)
        case .copy(let folder, let copy):
            // The first read opens the log too; then the copy needs no names any more.
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let origin = LogOrigin(file: copy, log: copy + "-wal")
            if let why = origin?.contradiction() { throw StoreError.staleLog(path, why) }
            let alone = LogOrigin.Mark(try Connection(path: copy, mode: .immutable))
            connection = try Connection(path: copy, mode: .readWrite, originalPath: path)
            try connection.execute("PRAGMA query_only=1")
            _ = try connection.scalar("SELECT count(*) FROM sqlite_master")
            if let why = origin?.contradiction(alone, LogOrigin.Mark(connection)) {
                throw StoreError.staleLog(path, why)
            }
        }
        try prepare(connection)
        return connection
    }

    /// Where its folder may not be written SQLite cannot make the index of a log, which it asks for even where there is no
    /// log; then nobody has the store open for writing, and it is read as immutable.
    private static func plainReader(_ path: String) throws -> Connection {
        do {
            let connection = try Connection(path: path, mode: .readOnly)
            _ = try connection.scalar("SELECT count(*) FROM sqlite_master")
            return connection
        } catch let error as SQLiteError where error.isCannotOpen && !QuietStore.hasLog(path) {
            return try Connection(path: path, mode: .immutable)
        }
    }

    /// Opens a connection of that role.
    /// - Throws: `StoreError`.
    public static func connect(_ path: String, _ role: Role, busyTimeout: Int = 5_000) throws -> Connection {
        try translating(path) {
            switch role {
            case .reader:
                try StoreProbe.checkReadable(path)
                let connection = try Connection(path: path, mode: .readWrite, busyTimeout: busyTimeout)
                keepLogInTrouble(connection, path)
                try connection.execute("PRAGMA query_only=1")
                try prepare(connection)
                return connection
            case .writer(let durability):
                try StoreProbe.checkWritable(path)
                let connection = try Connection(path: path, mode: .readWrite, busyTimeout: busyTimeout)
                keepLogInTrouble(connection, path)
                try connection.execute("PRAGMA synchronous=\(durability == .full ? "FULL" : "NORMAL")")
                // After a large save the log's file goes back to this, once it has been checkpointed.
                try connection.execute("PRAGMA journal_size_limit=\(8 << 20)")
                try prepare(connection)
                connection.useQueue(StoreQueue.path(of: path), label: "")
                try connection.setMainTriggersEnabled(false)
                try TriggerMirror.install(on: connection)
                return connection
            }
        }
    }

    /// A log that is moved into a damaged file, or is damaged itself, may destroy what is still sound.
    private static func keepLogInTrouble(_ connection: Connection, _ path: String) {
        let identity = FileIdentity(path)
        connection.keepsLog = { StoreHealth.isInTrouble(identity) }
    }

    private static func prepare(_ connection: Connection) throws {
        try DerivedFunctions.register(on: connection)
        try connection.execute("PRAGMA cache_size=-16000")
    }

    /// Runs the body and turns SQLite's errors into a store's.
    public static func translating<T>(_ path: String, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as SQLiteError {
            let translated = StoreError(error, path: path)
            if error.isCorrupt || error.isSyncFailure { StoreHealth.note(translated, path: path) }
            throw translated
        }
    }
}
