import CSQLite

extension Connection {
    /// Turns triggers of the main schema off or on for this connection; TEMP triggers always run.
    ///
    /// Our connections keep them off, so that a guard trigger, which refuses strangers, costs our own writes nothing.
    public func setMainTriggersEnabled(_ isEnabled: Bool) throws {
        var result: Int32 = 0
        let code = coexist_sqlite3_db_config_bool(
            handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, isEnabled ? 1 : 0, &result)
        guard code == SQLITE_OK else { throw SQLiteError(handle, code) }
    }

    /// The modes of a checkpoint that take the writer's lock. PASSIVE is left out: it can race with a WAL reset.
    public enum CheckpointMode: Sendable {
        case full
        case restart
        case truncate
    }

    /// What a checkpoint did.
    public struct CheckpointResult: Sendable, Hashable {
        /// Whether all of the WAL is in the main file; false if readers or writers were in the way: try again later.
        public var isComplete: Bool
        /// Frames in the WAL, and those of them that are in the main file.
        public var logFrames: Int
        /// Frames that are in the main file.
        public var checkpointedFrames: Int
    }

    /// Moves the WAL into the main file, when it is this connection's turn to write. Being busy is a result, not an error.
    /// - Parameter waitsForReaders: false to move only what no reader is in the way of. To wait for one means to have the
    ///   writer's lock meanwhile, so that nobody can save.
    public func checkpoint(_ mode: CheckpointMode, waitsForReaders: Bool = true) throws -> CheckpointResult {
        let hadTurn = hasTurn
        let deadline = policy.begin()
        defer { policy.end() }
        guard hadTurn || waitForTurn(until: deadline) else {
            return CheckpointResult(isComplete: false, logFrames: logFrames, checkpointedFrames: 0)
        }
        defer { if !hadTurn { leaveQueue() } }
        if !waitsForReaders {
            // Without the writer's lock SQLite would go on in PASSIVE mode, which can race with a reset of the log.
            guard SQLiteLocks.holder(databasePath: path) == nil else {
                return CheckpointResult(isComplete: false, logFrames: logFrames, checkpointedFrames: 0)
            }
            policy.isPatient = false
        }
        defer { policy.isPatient = true }
        var log: Int32 = 0
        var moved: Int32 = 0
        let raw =
            switch mode {
            case .full: SQLITE_CHECKPOINT_FULL
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        let code = sqlite3_wal_checkpoint_v2(handle, "main", raw, &log, &moved)
        guard code == SQLITE_OK || code & 0xff == SQLITE_BUSY else { throw SQLiteError(handle, code) }
        return CheckpointResult(isComplete: code == SQLITE_OK, logFrames: Int(log), checkpointedFrames: Int(moved))
    }

    /// Whether the path no longer leads to the file that this connection has open: it was removed, renamed, or replaced.
    public var isMoved: Bool {
        var moved: Int32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
        return moved != 0 || FileIdentity(openedPath) != openedFile
    }

    /// The name of the write-ahead log, links in the path resolved.
    public var logPath: String { databasePath + "-wal" }
    /// The name of the log's index, links in the path resolved.
    public var indexPath: String { databasePath + "-shm" }

    private var databasePath: String {
        sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? openedPath
    }

    /// `PRAGMA data_version`: changes when another connection has committed.
    public func dataVersion() throws -> Int64 {
        try scalar("PRAGMA data_version")?.integerValue ?? 0
    }

    /// Copies the whole database, as of one moment, to a new file, through SQLite's backup. Only its owner may open it.
    /// - Parameters:
    ///   - schema: which of the connection's databases: `main`, or the name of an attached one.
    ///   - progress: called with the pages that remain and the pages in all.
    public func backup(
        to path: String, schema: String = "main", progress: (Int, Int) -> Void = { _, _ in }
    ) throws {
        let target = try Connection(path: path, mode: .createPrivate)
        let pages = try Self.copy(from: self, schema, to: target, "main", pages: 512, progress)
        progress(0, pages)
    }

    /// Puts the whole content of another connection's main database in place of one of this connection's, in one
    /// transaction: whatever happens, the file has either its old content or the new one. Its journal mode stays.
    /// - Parameters:
    ///   - schema: the database to replace: `main`, or the name of an attached one.
    ///   - progress: called before the end, with the pages that remain and the pages in all; an error that it throws
    ///     leaves the old content.
    public func replace(
        _ schema: String, with source: Connection, progress: (Int, Int) throws -> Void = { _, _ in }
    ) throws {
        _ = try Self.copy(from: source, "main", to: self, schema, pages: 16, progress)
    }

    /// - Returns: the pages in all.
    private static func copy(
        from source: Connection, _ sourceSchema: String, to target: Connection, _ targetSchema: String, pages: Int32,
        _ progress: (Int, Int) throws -> Void
    ) throws -> Int {
        guard let backup = sqlite3_backup_init(target.handle, targetSchema, source.handle, sourceSchema) else {
            throw SQLiteError(target.handle, sqlite3_errcode(target.handle))
        }
        // The step that reports the end has committed.
        var code = sqlite3_backup_step(backup, pages)
        do {
            while code == SQLITE_OK {
                try progress(Int(sqlite3_backup_remaining(backup)), Int(sqlite3_backup_pagecount(backup)))
                code = sqlite3_backup_step(backup, pages)
            }
        } catch {
            sqlite3_backup_finish(backup)
            throw error
        }
        let count = Int(sqlite3_backup_pagecount(backup))
        let finished = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, finished == SQLITE_OK else {
            throw SQLiteError(target.handle, code == SQLITE_DONE ? finished : code)
        }
        return count
    }

    /// Whether the last connection to close moves the log into the main file and removes it, as SQLite does by itself.
    public func setCheckpointsOnClose(_ isEnabled: Bool) throws {
        var result: Int32 = 0
        let code = coexist_sqlite3_db_config_bool(
            handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isEnabled ? 0 : 1, &result)
        guard code == SQLITE_OK else { throw SQLiteError(handle, code) }
    }

    /// The first thing that SQLite finds wrong; nil for a file whose pages fit together. Reads the whole file.
    /// - Parameter checksIndexes: whether each index is compared with its table too (`PRAGMA integrity_check` instead of
    ///   `quick_check`), which takes several times as long.
    public func firstPageProblem(checksIndexes: Bool = false) throws -> String? {
        let found = try query("PRAGMA \(checksIndexes ? "integrity_check" : "quick_check")(1)").first?.first?.textValue
        guard let found, found != "ok" else { return nil }
        // Its first line only says which database it is about.
        return found.split(separator: "\n").filter { !$0.hasPrefix("*** in database") }.joined(separator: "; ")
    }

    /// What `PRAGMA integrity_check` reports: empty for a sound file.
    public func integrityProblems(limit: Int = 100) throws -> [String] {
        var problems: [String] = []
        try forEachIntegrityProblem(limit: limit) { problems.append($0) }
        return problems
    }

    /// Calls the body with each line of what `PRAGMA integrity_check` reports, until it ends, or fails: of some damages
    /// SQLite makes a list, of others an error in the middle of it.
    public func forEachIntegrityProblem(limit: Int = 100, _ body: (String) throws -> Void) throws {
        try prepare("PRAGMA integrity_check(\(limit))").forEach { row in
            guard let text = row.text(0), text != "ok" else { return }
            for line in text.split(separator: "\n") where !line.hasPrefix("*** in database") { try body(String(line)) }
        }
    }

    /// A page that belongs to a table or an index and makes no sense as such.
    public struct DamagedPage: Sendable, Hashable {
        /// Its number, from 1.
        public var number: Int64
        /// The table or index.
        public var name: String
    }

    /// The pages of tables and indexes that make no sense, as far as a walk from their roots comes to them. Empty where
    /// this SQLite has no `dbstat`.
    public func damagedPages(limit: Int = 100) -> [DamagedPage] {
        var pages: [DamagedPage] = []
        // What the walk itself stops at is an error like any other here.
        try? prepare("SELECT pageno, name FROM dbstat WHERE pagetype = 'corrupted' LIMIT \(limit)").forEach { row in
            pages.append(DamagedPage(number: row.integer(0), name: row.text(1) ?? ""))
        }
        return pages
    }
}
