import CSQLite
import Synchronization

/// One connection to a database file.
///
/// Not `Sendable`: a connection belongs to the queue, actor or thread that made it. Every connection has
/// `wal_autocheckpoint=0`, since SQLite before 3.51.3 can corrupt a database when a checkpoint races with a commit that
/// resets the WAL; `checkpoint(_:)` is the one way to checkpoint.
public final class Connection {
    let handle: OpaquePointer
    /// The file's path as it was given.
    public let path: String
    /// How the file was opened.
    public let mode: OpenMode
    private var cache: [String: Statement] = [:]
    var facts = SchemaFacts()
    let policy: BusyPolicy
    var queuePlace: QueuePlace?
    private let file: RawFile.Lease
    let openedPath: String
    /// The file that was opened.
    var openedFile: FileIdentity? { file.identity }
    /// The shares in attached files.
    var attached: [RawFile.Lease] = []
    var functionNames: Set<String> = []
    /// Whether this is a connection to a copy that nobody else can open, of the file that `path` names.
    public let isPrivateCopy: Bool
    /// Since when a reader has it, where readers have a maximum age.
    var lease: ReaderAge.Lease?
    /// Asked when the connection is closed: whether the log must stay as it is, though this may be the last connection, with
    /// which SQLite moves the log into the file.
    public var keepsLog: (@Sendable () -> Bool)?
    /// Frames in the WAL after this connection's last commit.
    public private(set) var logFrames = 0

    /// How a file is opened.
    public enum OpenMode: Sendable, Hashable {
        /// Reads only, with the locks that beside writers needs.
        case readOnly
        /// Reads only and takes no locks and makes no sidecar: only for a file that nobody has open.
        case immutable
        case readWrite
        case readWriteCreate
        /// The same, and a file that is new is open to its owner alone.
        case createPrivate
    }

    /// Opens the file.
    /// - Parameters:
    ///   - busyTimeout: how long a statement waits for a lock, in milliseconds.
    ///   - originalPath: where the file came from, if it is a private copy: what `path` then says.
    /// - Throws: `SQLiteError`.
    public init(path: String, mode: OpenMode, busyTimeout: Int = 5_000, originalPath: String? = nil) throws {
        let policy = BusyPolicy(milliseconds: busyTimeout)
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE
        switch mode {
        case .readOnly, .immutable: flags |= SQLITE_OPEN_READONLY
        case .readWrite: flags |= SQLITE_OPEN_READWRITE
        case .readWriteCreate, .createPrivate: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        }
        let name = Self.uri(path) + (mode == .immutable ? "?immutable=1" : "")
        let (lease, handle) = try RawFile.Lease.take(path) {
            if mode == .createPrivate { NewFile.makePrivate(path) }
            var handle: OpaquePointer?
            let code = sqlite3_open_v2(name, &handle, flags, nil)
            guard code == SQLITE_OK, let handle else {
                let error = SQLiteError(handle, code)
                sqlite3_close_v2(handle)
                throw error
            }
            return handle
        }
        file = lease
        self.handle = handle
        self.path = originalPath ?? path
        openedPath = path
        isPrivateCopy = originalPath != nil
        self.mode = mode
        self.policy = policy
        sqlite3_busy_handler(handle, BusyPolicy.handler, Unmanaged.passUnretained(policy).toOpaque())
        try execute("PRAGMA wal_autocheckpoint=0")
        // Unretained: the handle, and with it the hook, does not outlive this object.
        sqlite3_wal_hook(
            handle,
            { pointer, _, _, frames in
                guard let pointer else { return SQLITE_OK }
                Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue().logFrames = Int(frames)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        cache.removeAll()
        if keepsLog?() == true { try? setCheckpointsOnClose(false) }
        // A cached statement that somebody still holds keeps SQLite's handle alive: it must not call back into what is gone.
        sqlite3_wal_hook(handle, nil, nil)
        sqlite3_busy_handler(handle, nil, nil)
        sqlite3_close_v2(handle)
    }

    static func uri(_ path: String) -> String {
        // An absolute path follows an empty authority, or a second slash at its start would begin one.
        var text = path.hasPrefix("/") ? "file://" : "file:"
        let digits = Array("0123456789ABCDEF")
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), 0x80...:
                text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            default:
                text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text
    }

    /// How long statements wait for a lock, in milliseconds.
    public var busyTimeout: Int {
        get { policy.milliseconds }
        set { policy.milliseconds = newValue }
    }

    /// Runs the body; a value longer than that many bytes ends a statement in it with an error (`isTooBig`) instead of coming
    /// into memory.
    public func limitingValues<T>(to bytes: Int, _ body: () throws -> T) rethrows -> T {
        let before = sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: bytes))
        defer { sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, before) }
        return try body()
    }

    // MARK: Statements

    /// Compiles a statement that the caller keeps.
    public func prepare(_ sql: String) throws -> Statement {
        try checkLease(sql)
        return try Statement(self, sql)
    }

    /// A compiled statement from the connection's cache: for texts that come again. Not to be nested with itself.
    public func cached(_ sql: String) throws -> Statement {
        try checkLease(sql)
        if let statement = cache[sql] {
            statement.reset()
            return statement
        }
        if cache.count >= 200 { cache.removeAll() }
        let statement = try Statement(self, sql, isCached: true)
        cache[sql] = statement
        return statement
    }

    /// An interruption ends what runs: a reader between two statements is ended here.
    private func checkLease(_ sql: String) throws {
        guard let lease, lease.isOver.load(ordering: .relaxed) else { return }
        throw SQLiteError(extendedCode: SQLITE_INTERRUPT, message: "interrupted", sql: sql)
    }

    /// Drops the compiled statements, as before the schema changes.
    public func clearStatementCache() {
        cache.removeAll()
    }

    /// Runs one or more statements without values and without results.
    public func execute(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(handle, code, sql: sql) }
    }

    /// Runs one statement, and refuses a text that holds more: for text that names from a file went into.
    public func executeOne(_ sql: String) throws {
        try Statement(self, sql).run()
    }

    /// Runs one statement with values to its end.
    public func run(_ sql: String, _ values: [SQLValue] = []) throws {
        try cached(sql).run(values)
    }

    /// All rows of a query, in memory: for results known to be small.
    public func query(_ sql: String, _ values: [SQLValue] = []) throws -> [[SQLValue]] {
        var rows: [[SQLValue]] = []
        try cached(sql).forEach(values) { rows.append($0.row) }
        return rows
    }

    /// The first column of the first row, or nil without a row.
    public func scalar(_ sql: String, _ values: [SQLValue] = []) throws -> SQLValue? {
        let statement = try cached(sql)
        statement.bind(values)
        defer { statement.reset() }
        guard try statement.step() else { return Optional.none }
        return statement.value(0)
    }

    /// Rows that the last statement changed.
    public var changes: Int { Int(sqlite3_changes64(handle)) }
    /// Rows that all statements of this connection have changed.
    public var totalChanges: Int { Int(sqlite3_total_changes64(handle)) }
    /// Whether a transaction is open.
    public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Ends the running statement of another thread's use of this connection with an interruption.
    public func interrupt() {
        sqlite3_interrupt(handle)
    }

    /// What lets another thread interrupt this connection.
    public var interrupter: Interrupter { Interrupter(handle) }

    /// Interrupts a connection from anywhere. Must not outlive the connection.
    public struct Interrupter: @unchecked Sendable {
        // Safe to send: sqlite3_interrupt is the one call that SQLite allows from any thread while the connection lives.
        private let handle: OpaquePointer

        init(_ handle: OpaquePointer) {
            self.handle = handle
        }

        /// Ends what runs on the connection with `SQLITE_INTERRUPT`.
        public func callAsFunction() {
            sqlite3_interrupt(handle)
        }
    }

    /// The version of the SQLite library, such as `3.40.1`.
    public static var libraryVersion: String { String(cString: sqlite3_libversion()) }
    /// The same as a number: 3040001.
    public static var libraryVersionNumber: Int { Int(sqlite3_libversion_number()) }
}
