import Foundation
import SQLite
import StoreFormat

/// Gives a store back to Apple's frameworks: undoes what adoption did.
public enum Release {
    /// What a release did.
    public struct Report: Sendable, Hashable {
        /// Whether there was anything of ours to remove.
        public var wasAdopted: Bool
        /// Whether history tables that adoption made were removed.
        public var removedHistory: Bool
        /// The store's journal mode after the release; empty where the store was not adopted.
        public var journalMode: String
        /// The backup from before adoption, which stays.
        public var backup: String?
        /// The durable readers that went with our tables, by name.
        public var consumers: [String] = []
        /// How many changes of owner the record had that went with them.
        public var handovers = 0
        /// Why the log could not be moved into the store; nil where it was.
        public var logProblem: String?
    }

    /// Removes our tables and triggers, the history tables if adoption made them, and restores the journal mode.
    /// - Parameter keepsHistory: leave history tables that adoption made.
    /// - Throws: `StoreError` `Busy` beside a running daemon, `Damaged` where the pages do not fit together.
    public static func release(_ path: String, keepsHistory: Bool = false) throws -> Report {
        try StoreProbe.check(path)
        let lock = try StoreLock(storePath: path)
        defer { lock.release() }
        try checkPages(path)
        StoreLeftovers.settle(path)
        let report = try StoreConnector.translating(path) { try release(path, keepsHistory) }
        NoticeFolder.remove(of: path)
        return report
    }

    private static func release(_ path: String, _ keepsHistory: Bool) throws -> Report {
        guard try isAdopted(path) else {
            try tidy(path)
            return Report(wasAdopted: false, removedHistory: false, journalMode: "", backup: nil)
        }
        let connection = try StoreConnector.connect(path, .writer(.full))
        guard let missing = try CoexistenceTables.missing(connection), !missing.contains("COEXIST_STATE"),
            try connection.scalar("SELECT count(*) FROM COEXIST_STATE")?.integerValue != 0
        else {
            return try releaseRemains(connection, path)
        }
        let state = try CoexistenceState.read(connection)
        let removesHistory = state.madeHistory && !keepsHistory
        func values(_ sql: String, of table: String) throws -> [SQLValue] {
            missing.contains(table) ? [] : try connection.query(sql).map { $0[0] }
        }
        let consumers = try values("SELECT NAME FROM COEXIST_CONSUMER ORDER BY NAME", of: "COEXIST_CONSUMER")
        let handovers = try values("SELECT count(*) FROM COEXIST_HANDOVER", of: "COEXIST_HANDOVER").first?.integerValue
        let isWAL = state.journalMode == "wal"
        // As long as our tables say what the mode was: a release that is cut off can be finished by the next one.
        if !isWAL { try turnBack(connection, path) }
        do {
            try connection.transaction(.immediate) {
                try GuardTriggers.remove(from: connection)
                try CoexistenceTables.drop(connection)
                if removesHistory {
                    try HistoryTables.drop(connection)
                } else {
                    try HistoryTables.dropRemains(connection)
                }
            }
        } catch {
            if !isWAL { try? Adoption.turnToWAL(connection, path) }
            throw error
        }
        connection.clearStatementCache()
        return Report(
            wasAdopted: true, removedHistory: removesHistory, journalMode: isWAL ? "wal" : "delete",
            backup: state.backup, consumers: consumers.compactMap(\.textValue), handovers: Int(handovers ?? 0),
            logProblem: isWAL ? logProblem(connection, path) : nil)
    }

    /// Turns a store that had a rollback journal back to it. Which kind of one is each connection's own affair.
    private static func turnBack(_ connection: Connection, _ path: String) throws {
        let mode: String?
        do {
            mode = try connection.scalar("PRAGMA journal_mode=DELETE")?.textValue
        } catch let error as SQLiteError where error.isBusy {
            mode = nil
        }
        guard mode == "delete" else {
            throw StoreError(
                .busy,
                "the journal mode of \(path) cannot be turned back: another process has it open. It stays adopted",
                way: "end the programs that use it, and try again")
        }
    }

    /// What a release that was killed after its commit left beside the store: the queue of writers, and the log. The last
    /// writer takes them away.
    private static func tidy(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: StoreQueue.path(of: path)) else { return }
        let connection = try StoreConnector.connect(path, .writer(.full))
        try connection.transaction(.immediate) {}
    }

    /// What is written to a damaged file may destroy more of it.
    private static func checkPages(_ path: String) throws {
        guard try StoreConnector.translating(path, { try isAdopted(path) }),
            let damage = try StoreHealth.examine(path, checksIndexes: false)
        else { return }
        throw StoreError(
            .damaged, "\(damage.message). It is not written, and stays adopted",
            way:
                "`coexistctl restore` puts a backup in its place, `coexistctl salvage` makes a new store of what can be read"
        )
    }

    /// Our tables are gone with the commit, also where the disk is too full to move it into the file.
    private static func logProblem(_ connection: Connection, _ path: String) -> String? {
        do {
            _ = try StoreConnector.translating(path) { try connection.checkpoint(.truncate) }
            return nil
        } catch {
            return "the log could not be moved into the store, and \(path)-wal has to stay beside it: \(error)"
        }
    }

    private static func isAdopted(_ path: String) throws -> Bool {
        let connection = try StoreConnector.offlineReader(path)
        return try connection.scalar(
            "SELECT 1 FROM sqlite_master WHERE type IN ('table', 'trigger') AND name LIKE 'COEXIST\\_%' ESCAPE '\\' LIMIT 1"
        )
            != nil
    }

    /// What is left of an adoption whose state is lost: the guard and tables go; what there was before, nobody knows, so
    /// history and the journal mode stay.
    private static func releaseRemains(_ connection: Connection, _ path: String) throws -> Report {
        try connection.transaction(.immediate) {
            try GuardTriggers.remove(from: connection)
            try CoexistenceTables.drop(connection)
            try HistoryTables.dropRemains(connection)
        }
        connection.clearStatementCache()
        return Report(
            wasAdopted: true, removedHistory: false, journalMode: "wal", backup: nil,
            logProblem: logProblem(connection, path))
    }
}
