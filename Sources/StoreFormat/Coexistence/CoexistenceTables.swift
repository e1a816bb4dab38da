import Foundation
import SQLite

/// Our own tables in an adopted store. They and the guard's triggers are the only addition to Apple's format, and
/// `coexistctl release` removes them.
public enum CoexistenceTables {
    /// The version of the tables' form.
    public static let form: Int64 = 2

    static let statements = [
        // One row: what adoption did, so that a release can undo it, and the counts that tell our commits from others'.
        """
        CREATE TABLE COEXIST_STATE (ID INTEGER PRIMARY KEY CHECK (ID = 1), FORM INTEGER NOT NULL, ADOPTED REAL NOT NULL,
            TIMELINE INTEGER NOT NULL, COMMITS INTEGER NOT NULL, PURGE_FLOOR INTEGER NOT NULL, GUARD TEXT NOT NULL,
            MADE_HISTORY INTEGER NOT NULL, JOURNAL_MODE TEXT NOT NULL, BACKUP TEXT,
            HISTORY_START INTEGER NOT NULL DEFAULT 0)
        """,
        """
        CREATE TABLE COEXIST_UNIT (NAME TEXT PRIMARY KEY, OWNER TEXT NOT NULL, PREVIOUS TEXT, EPOCH INTEGER NOT NULL,
            FROZEN INTEGER NOT NULL DEFAULT 0, SINCE REAL NOT NULL)
        """,
        "CREATE TABLE COEXIST_ENTITY (NUMBER INTEGER PRIMARY KEY, NAME TEXT NOT NULL UNIQUE, UNIT TEXT NOT NULL)",
        "CREATE TABLE COEXIST_JOIN (NAME TEXT PRIMARY KEY, UNIT TEXT NOT NULL)",
        """
        CREATE TABLE COEXIST_TRANSACTION (NUMBER INTEGER PRIMARY KEY, STACK TEXT NOT NULL, INSTANCE TEXT NOT NULL,
            EPOCHS TEXT NOT NULL, CAUSE INTEGER)
        """,
        """
        CREATE TABLE COEXIST_HANDOVER (ID INTEGER PRIMARY KEY, UNIT TEXT NOT NULL, PREVIOUS TEXT, OWNER TEXT NOT NULL,
            EPOCH INTEGER NOT NULL, AT REAL NOT NULL, BY_USER TEXT, REASON TEXT, NUMBER INTEGER NOT NULL)
        """,
        "CREATE TABLE COEXIST_CONSUMER (NAME TEXT PRIMARY KEY, NUMBER INTEGER NOT NULL, STATE TEXT NOT NULL, AT REAL NOT NULL)",
        "CREATE TABLE COEXIST_INHERITED (RULE TEXT NOT NULL, PLACE TEXT NOT NULL, WHAT TEXT NOT NULL, PRIMARY KEY (RULE, PLACE, WHAT))",
        "CREATE TABLE COEXIST_FOREIGN (ID INTEGER PRIMARY KEY, TABLE_NAME TEXT NOT NULL, ROW_KEY INTEGER)",
    ]

    /// The names of the tables.
    public static let names = [
        "COEXIST_STATE", "COEXIST_UNIT", "COEXIST_ENTITY", "COEXIST_JOIN", "COEXIST_TRANSACTION", "COEXIST_HANDOVER",
        "COEXIST_CONSUMER", "COEXIST_INHERITED", "COEXIST_FOREIGN",
    ]

    /// Whether the store has been adopted: asked of the file each time, since another process may adopt or release it.
    /// - Throws: `StoreError` `Damaged` where some of the tables are there and others not, with what can be done about it.
    public static func exist(_ connection: Connection) throws -> Bool {
        guard let missing = try missing(connection) else { return false }
        guard !missing.isEmpty else { return true }
        // Another version's tables may be others.
        if !missing.contains("COEXIST_STATE") { _ = try CoexistenceState.read(connection) }
        let list = missing.joined(separator: ", ")
        throw StoreError(
            .damaged, "\(connection.path) is adopted, but lacks \(list): somebody removed what Coexist keeps there",
            way: mendable.isSuperset(of: missing)
                ? "`coexistctl verify \(connection.path) --repair` makes it anew; or release the store: `coexistctl release`"
                : "`coexistctl release \(connection.path)` takes the rest away, and the next opening for writing adopts it anew"
        )
    }

    /// Which of the tables the file lacks; nil where it has none of them, and so was never adopted or has been released.
    public static func missing(_ connection: Connection) throws -> [String]? {
        let found = try found(connection)
        return found.isDisjoint(with: names) ? nil : names.filter { !found.contains($0) }
    }

    /// Whether the file has one of the tables.
    static func has(_ table: String, _ connection: Connection) throws -> Bool {
        try found(connection).contains(table)
    }

    /// The tables of the file that are called like ours.
    private static func found(_ connection: Connection) throws -> Set<String> {
        try connection.schemaFact("CoexistenceTables") {
            let sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'COEXIST_*'"
            return Set(try connection.query(sql).compactMap(\.[0].textValue))
        }
    }

    /// Tables that can be made anew without a choice: what was in them follows from the model and the other tables, or is a
    /// record without which others say more, not less.
    public static let mendable: Set<String> = [
        "COEXIST_ENTITY", "COEXIST_JOIN", "COEXIST_CONSUMER", "COEXIST_INHERITED", "COEXIST_FOREIGN",
    ]

    /// Makes the tables, empty. To be run inside a write transaction.
    public static func create(_ connection: Connection) throws {
        for sql in statements { try connection.execute(sql) }
    }

    /// Makes those of the tables that are named. To be run inside a write transaction.
    public static func create(_ names: [String], _ connection: Connection) throws {
        for (name, sql) in zip(Self.names, statements) where names.contains(name) { try connection.execute(sql) }
    }

    /// Removes the tables. To be run inside a write transaction.
    public static func drop(_ connection: Connection) throws {
        let tables = try connection.query(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'COEXIST\\_%' ESCAPE '\\'")
        for row in tables {
            if let name = row[0].textValue { try connection.execute("DROP TABLE \(name.sqlIdentifier)") }
        }
    }
}

/// The row of `COEXIST_STATE`.
public struct CoexistenceState: Sendable, Hashable {
    /// The version of the tables' form that adoption made.
    public var form: Int64
    /// Seconds since 2001-01-01 UTC.
    public var adopted: Double
    /// Which life of the store history tokens belong to; a restore starts a new one.
    public var timeline: Int64
    /// How many commits our instances have made since adoption.
    public var commits: Int64
    /// The highest transaction number that has been purged.
    public var purgeFloor: Int64
    /// When strangers are refused.
    public var guardMode: GuardMode
    /// Whether adoption made the history tables.
    public var madeHistory: Bool
    /// The journal mode before adoption.
    public var journalMode: String
    /// Where the backup from before adoption lies.
    public var backup: String?
    /// The last history transaction before adoption: the record of writers begins after it.
    public var historyStart: Int64

    /// A state to insert, as at adoption.
    public init(
        form: Int64 = CoexistenceTables.form, adopted: Double, timeline: Int64 = 1, commits: Int64,
        purgeFloor: Int64 = 0,
        guardMode: GuardMode, madeHistory: Bool, journalMode: String, backup: String?, historyStart: Int64 = 0
    ) {
        self.form = form
        self.adopted = adopted
        self.timeline = timeline
        self.commits = commits
        self.purgeFloor = purgeFloor
        self.guardMode = guardMode
        self.madeHistory = madeHistory
        self.journalMode = journalMode
        self.backup = backup
        self.historyStart = historyStart
    }

    /// Reads the row.
    /// - Throws: `StoreError` `Damaged` where there is none, `Refused` for another version's form.
    public static func read(_ connection: Connection) throws -> CoexistenceState {
        let sql = """
            SELECT FORM, ADOPTED, TIMELINE, COMMITS, PURGE_FLOOR, GUARD, MADE_HISTORY, JOURNAL_MODE, BACKUP,
                HISTORY_START
            FROM COEXIST_STATE
            """
        guard let row = try connection.query(sql).first, let form = row[0].integerValue else {
            throw StoreError(
                .damaged, "\(connection.path) has an empty COEXIST_STATE table",
                way:
                    "`coexistctl release \(connection.path)` takes the rest away, and the next opening for writing adopts it anew"
            )
        }
        guard form == CoexistenceTables.form else {
            throw StoreError(
                .refused, "\(connection.path) was adopted by another version of Coexist (form \(form))",
                way: "use that version, or release the store with it")
        }
        return CoexistenceState(
            form: form, adopted: row[1].doubleValue ?? 0, timeline: row[2].integerValue ?? 1,
            commits: row[3].integerValue ?? 0, purgeFloor: row[4].integerValue ?? 0,
            guardMode: row[5].textValue.flatMap(GuardMode.init(rawValue:)) ?? .always,
            madeHistory: row[6].integerValue == 1, journalMode: row[7].textValue ?? "wal", backup: row[8].textValue,
            historyStart: row[9].integerValue ?? 0)
    }

    /// Writes the row of a store that is being adopted.
    public func insert(_ connection: Connection) throws {
        try connection.run(
            """
            INSERT INTO COEXIST_STATE (ID, FORM, ADOPTED, TIMELINE, COMMITS, PURGE_FLOOR, GUARD, MADE_HISTORY,
                JOURNAL_MODE, BACKUP, HISTORY_START)
            VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(form), .real(adopted), .integer(timeline), .integer(commits), .integer(purgeFloor),
                .text(guardMode.rawValue), .integer(madeHistory ? 1 : 0), .text(journalMode),
                backup.map { .text($0) } ?? .null, .integer(historyStart),
            ])
    }

    /// A timeline that none of an earlier life of the store can have been, where that is not known: the time in
    /// milliseconds since 2001.
    public static var freshTimeline: Int64 { Int64(Date().timeIntervalSinceReferenceDate * 1_000) }

    /// A bound in the state that what is recorded contradicts.
    public struct Contradiction: Sendable, Hashable {
        /// What is wrong.
        public var text: String
        /// The first transaction that is there though the bound says that nothing is.
        public var first: Int64
    }

    /// Where the state says that history is not to be looked at, and what that would hide: the record of writers begins
    /// after the last transaction from before adoption, and a purge removes what it passes.
    public static func contradictions(_ connection: Connection) throws -> [Contradiction] {
        let state = try read(connection)
        var found: [Contradiction] = []
        func look(_ table: String, _ condition: String, _ bound: Int64, _ text: (Int64) -> String) throws {
            let column = table == "ATRANSACTION" ? "Z_PK" : "NUMBER"
            let row = try connection.query(
                "SELECT count(*), min(\(column)) FROM \(table) WHERE \(column) \(condition) ?", [.integer(bound)]
            ).first
            guard let count = row?[0].integerValue, count > 0, let first = row?[1].integerValue else { return }
            found.append(Contradiction(text: text(count), first: first))
        }
        try look("COEXIST_TRANSACTION", "<=", state.historyStart) {
            "HISTORY_START is \(state.historyStart), but the writers of transactions up to it are recorded, \($0) in all"
        }
        // Of a transaction that is being purged in parts the row goes last.
        if try HistoryTables.exist(connection) {
            try look("ATRANSACTION", "<", state.purgeFloor) {
                "PURGE_FLOOR is \(state.purgeFloor), but transactions below it are there, \($0) in all"
            }
        }
        return found
    }

    /// Counts a commit of ours. To be run in the transaction of every commit: what the WAL index counts beyond it is
    /// foreign.
    public static func countCommit(_ connection: Connection) throws {
        try connection.run("UPDATE COEXIST_STATE SET COMMITS = COMMITS + 1")
    }
}

/// When the guard's triggers refuse rows from connections that are not ours.
public enum GuardMode: String, Sendable, Hashable, CaseIterable, Codable {
    case always
    /// The triggers go when the daemon stops; after a kill they stay until the next start or a release.
    case whileRunning = "while-running"
    /// Refuses nothing, but notes the table and key of each foreign change.
    case record
    case off
}
