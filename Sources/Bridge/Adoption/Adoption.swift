import Foundation
import SQLite
import StoreFormat

/// The first opening of a store for writing: our tables, the owners, the guard, and a backup from before.
public enum Adoption {
    /// What an adoption is to do.
    public struct Plan: Sendable {
        /// Who owns which entities from the start.
        public var seed: OwnershipSeed
        /// How the store is kept from being written by other programs.
        public var guardMode: GuardMode
        /// Where the backup goes; nil puts it beside the store, named for the time.
        public var backupPath: String?

        /// Makes a plan: the legacy stack owns everything and the guard is on, where nothing else is said.
        public init(seed: OwnershipSeed = OwnershipSeed(), guardMode: GuardMode = .always, backupPath: String? = nil) {
            self.seed = seed
            self.guardMode = guardMode
            self.backupPath = backupPath
        }
    }

    /// Adopts the store. A failure leaves the store as it was; the backup is then removed too.
    /// - Returns: the path of the backup.
    /// - Throws: `StoreError`.
    @discardableResult
    public static func adopt(_ store: Store, plan: Plan) throws -> String {
        let units = OwnershipUnits.group(store.layout)
        let owners = try plan.seed.owners(units, layout: store.layout)
        let joins = try plan.seed.joinUnits(units, owners: owners, layout: store.layout)
        guard store.catalogue.missing.isEmpty else {
            throw StoreError(
                .damaged, "the catalogue of \(store.path) lacks \(store.catalogue.missing.joined(separator: ", "))",
                way: StoreError.wayOfDamage(store.path))
        }
        if let problem = StoreHealth.lostHistory(of: store, isAdopted: false) { throw problem }
        let backup = plan.backupPath ?? StoreBackup.path(beside: store.path, label: AdoptionNote.label)
        AdoptionNote.write(store.path, copy: backup)
        defer { AdoptionNote.remove(store.path) }
        // Who adopts has looked at the pages.
        try StoreBackup.copy(store.path, to: backup, checksPages: false)
        do {
            try StoreConnector.translating(store.path) {
                try write(store, plan, units: units, owners: owners, joins: joins, backup: backup)
            }
        } catch {
            StoreBackup.remove(backup)
            throw error
        }
        return backup
    }

    private static func write(
        _ store: Store, _ plan: Plan, units: [String: [String]], owners: [String: StackName], joins: [String: String],
        backup: String
    ) throws {
        let connection = try StoreConnector.connect(store.path, .writer(.full))
        let journal = try connection.scalar("PRAGMA journal_mode")?.textValue ?? "delete"
        // Young files too: one of a save that is running gets its row, and then nothing is said of it.
        let inherited = try StoreVerifier.verify(connection, store: store, judgesYoungFiles: true)
            .filter { $0.severity != .warning }
        let makesHistory = !store.historyForm.isTracked
        try connection.transaction(.immediate) {
            guard try !CoexistenceTables.exist(connection) else {
                throw StoreError(.alreadyExists, "\(store.path) was adopted meanwhile", way: "start again")
            }
            // Of a history that is gone the counter may be left.
            let last = try max(
                HistoryReader(connection, store: store).last(), HistoryTables.lastNumber(connection))
            if makesHistory {
                let tombstones = store.layout.entities.map(\.tombstoneAttributes.count).max() ?? 0
                try HistoryTables.create(connection, tombstones: tombstones)
            }
            try CoexistenceTables.create(connection)
            let now = Date().timeIntervalSinceReferenceDate
            // Where numbers were handed out before, they may have been in another life of the store, which was released or
            // replaced: those tokens must not be taken for this one's.
            let isFirst = last == 0 && !makesHistory
            try CoexistenceState(
                adopted: now, timeline: isFirst ? 1 : CoexistenceState.freshTimeline, commits: 1,
                guardMode: plan.guardMode, madeHistory: makesHistory,
                journalMode: journal, backup: backup, historyStart: last
            ).insert(connection)
            try seed(connection, store, units: units, owners: owners, joins: joins, now: now)
            for violation in inherited {
                try connection.run(
                    "INSERT OR IGNORE INTO COEXIST_INHERITED VALUES (?, ?, ?)",
                    [.text(violation.rule), .text(violation.place), .text(violation.what)])
            }
            try GuardTriggers.install(plan.guardMode, on: connection)
        }
        // When the mode from before is on record: an adoption that is cut off here is finished by the next start.
        do {
            try turnToWAL(connection, store.path)
        } catch {
            try? connection.transaction(.immediate) {
                try GuardTriggers.remove(from: connection)
                try CoexistenceTables.drop(connection)
                if makesHistory { try HistoryTables.drop(connection) }
            }
            throw error
        }
    }

    /// Turns an adopted store to WAL, if it is not in that mode.
    /// - Throws: `StoreError` `Busy` where another program is in the way.
    static func turnToWAL(_ connection: Connection, _ path: String) throws {
        func mode(_ sql: String) throws -> String? {
            do {
                return try connection.scalar(sql)?.textValue
            } catch let error as SQLiteError where error.isBusy {
                return nil
            }
        }
        guard try mode("PRAGMA journal_mode") != "wal" else { return }
        guard try mode("PRAGMA journal_mode=WAL") == "wal" else {
            throw StoreError(
                .busy, "\(path) cannot be turned to WAL mode: another process has it open",
                way: "end the programs that use it, and try again")
        }
    }

    private static func seed(
        _ connection: Connection, _ store: Store, units: [String: [String]], owners: [String: StackName],
        joins: [String: String], now: Double
    ) throws {
        for unit in units.keys {
            try connection.run(
                "INSERT INTO COEXIST_UNIT (NAME, OWNER, EPOCH, SINCE) VALUES (?, ?, 1, ?)",
                [.text(unit), .text((owners[unit] ?? .legacy).rawValue), .real(now)])
        }
        try RegisterRepair.fillEntities(units, store.layout, connection)
        for (table, unit) in joins {
            try connection.run("INSERT INTO COEXIST_JOIN (NAME, UNIT) VALUES (?, ?)", [.text(table), .text(unit)])
        }
    }
}
