import CSQLite
import Foundation

/// An error that SQLite reported, with the statement it came from.
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// SQLite's extended result code, such as 2067 (`SQLITE_CONSTRAINT_UNIQUE`).
    public var extendedCode: Int32
    /// SQLite's own text.
    public var message: String
    /// The SQL that failed, where one did.
    public var sql: String?
    /// Who holds the lock that a write waited for in vain, where that could be found.
    public var holder: LockHolder?
    /// The system's number for what failed (`ENOSPC` and so on), where a call of the system did; 0 elsewhere.
    public var systemCode: Int32 = 0
    /// The limit of SQLite's that a statement or a value went beyond, where it was that; nil elsewhere.
    public var exceededLimit: Int?

    /// An error with SQLite's extended code and text.
    public init(extendedCode: Int32, message: String, sql: String? = nil) {
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
    }

    init(_ db: OpaquePointer?, _ code: Int32, sql: String? = nil) {
        let extended = db.map { sqlite3_extended_errcode($0) } ?? code
        self.extendedCode = extended & 0xff == code & 0xff ? extended : code
        self.message = db.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        self.sql = sql
        if [SQLITE_ERROR, SQLITE_TOOBIG].contains(code & 0xff), let db { exceededLimit = Self.limit(message, db) }
        if [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xff), let db { systemCode = sqlite3_system_errno(db) }
    }

    /// SQLite has one code for them all, and says which only in words.
    private static func limit(_ message: String, _ db: OpaquePointer) -> Int? {
        let limits: [(words: String, number: Int32)] = [
            ("Expression tree is too large", SQLITE_LIMIT_EXPR_DEPTH),
            ("too many SQL variables", SQLITE_LIMIT_VARIABLE_NUMBER),
            ("too many terms in compound SELECT", SQLITE_LIMIT_COMPOUND_SELECT),
            ("too many terms in ", SQLITE_LIMIT_COLUMN), ("too many columns in ", SQLITE_LIMIT_COLUMN),
            ("too many arguments on function", SQLITE_LIMIT_FUNCTION_ARG),
            ("pattern too complex", SQLITE_LIMIT_LIKE_PATTERN_LENGTH), ("too big", SQLITE_LIMIT_LENGTH),
        ]
        if let found = limits.first(where: { message.contains($0.words) }) {
            return Int(sqlite3_limit(db, found.number, -1))
        }
        // These two cannot be asked for.
        if message.contains("at most 64 tables in a join") { return 64 }
        return message.contains("parser stack overflow") ? 100 : nil
    }

    /// The primary result code: the low byte of the extended one.
    public var code: Int32 { extendedCode & 0xff }

    /// Another connection holds the lock.
    public var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
    /// The snapshot that a read transaction holds is too old to write from: begin again, do not repeat the statement.
    public var isSnapshotConflict: Bool { extendedCode == SQLITE_BUSY_SNAPSHOT }
    /// The disk is full, or the user's share of it.
    public var isFull: Bool { code == SQLITE_FULL || systemCode == ENOSPC || systemCode == EDQUOT }
    /// The statement names a table or column that is not there.
    public var isMissingPart: Bool {
        code == SQLITE_ERROR && (message.hasPrefix("no such column") || message.hasPrefix("no such table"))
    }
    /// The file, its folder or the connection may not be written.
    public var isReadOnly: Bool { code == SQLITE_READONLY || systemCode == EROFS }
    /// The file does not start as a database does.
    public var isNotADatabase: Bool { code == SQLITE_NOTADB }
    /// The file's pages do not fit together, or it, or its log, ends before a page that should be in it.
    public var isCorrupt: Bool { code == SQLITE_CORRUPT || extendedCode == SQLITE_IOERR_SHORT_READ }
    /// The file is not there, or may not be opened.
    public var isCannotOpen: Bool { code == SQLITE_CANTOPEN }
    /// A constraint, or a trigger's `RAISE`, refused the statement.
    public var isConstraint: Bool { code == SQLITE_CONSTRAINT }
    /// A unique index or a primary key has the values already.
    public var isUniqueConstraint: Bool {
        extendedCode == SQLITE_CONSTRAINT_UNIQUE || extendedCode == SQLITE_CONSTRAINT_PRIMARYKEY
    }
    /// The system failed to read or write.
    public var isInputOutput: Bool { code == SQLITE_IOERR }
    /// SQLite got no memory.
    public var isOutOfMemory: Bool { code == SQLITE_NOMEM }
    /// A value, or a statement's text, is longer than SQLite takes.
    public var isTooBig: Bool { code == SQLITE_TOOBIG }
    /// The system failed to bring something to the disk. What it does not say is what is there now, nor will it say so
    /// another time: the pages count as written since.
    public var isSyncFailure: Bool { [SQLITE_IOERR_FSYNC, SQLITE_IOERR_DIR_FSYNC].contains(extendedCode) }
    /// The statement was interrupted.
    public var isInterrupted: Bool { code == SQLITE_INTERRUPT }

    /// Code, text, and the start of the statement.
    public var description: String {
        let statement = sql.map { " in \"\($0.prefix(300))\"" } ?? ""
        return "SQLite \(extendedCode): \(message)\(statement)"
    }
}

// The C header's composite codes are macros over shifted values, which Swift does not import.
private let SQLITE_BUSY_SNAPSHOT: Int32 = SQLITE_BUSY | (2 << 8)
private let SQLITE_CONSTRAINT_UNIQUE: Int32 = SQLITE_CONSTRAINT | (8 << 8)
private let SQLITE_CONSTRAINT_PRIMARYKEY: Int32 = SQLITE_CONSTRAINT | (6 << 8)
private let SQLITE_IOERR_SHORT_READ: Int32 = SQLITE_IOERR | (2 << 8)
private let SQLITE_IOERR_FSYNC: Int32 = SQLITE_IOERR | (4 << 8)
private let SQLITE_IOERR_DIR_FSYNC: Int32 = SQLITE_IOERR | (5 << 8)
