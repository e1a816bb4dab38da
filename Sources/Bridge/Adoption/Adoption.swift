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
        let backup = plan.backupPath ?? StoreBackup.path(beside: store.path, label: "before-coexist")
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
        if journal != "wal" {
            let now = try connection.scalar("PRAGMA journal_mode=WAL")?.textValue
            guard now == "wal" else {
                throw StoreError(
                    .busy, "\(store.path) cannot be turned to WAL mode: another process has it open",
                    way: "end the programs that use it, and try again")
            }
        }
        do {
            // Young files too: one of a save that is running gets its row, and then nothing is said of it.
            let inherited = try StoreVerifier.verify(connection, store: store, judgesYoungFiles: true)
                .filter { $0.severity != .warning }
            try connection.transaction(.immediate) {
                guard try !CoexistenceTables.exist(connection) else {
                    throw StoreError(.alreadyExists, "\(store.path) was adopted meanwhile", way: "start again")
                }
                let last = try HistoryReader(connection, store: store).last()
                let makesHistory = !store.historyForm.isTracked
                if makesHistory {
                    let tombstones = store.layout.entities.map(\.tombstoneAttributes.count).max() ?? 0
                    try HistoryTables.create(connection, tombstones: tombstones)
                }
                try CoexistenceTables.create(connection)
                let now = Date().timeIntervalSinceReferenceDate
                // History that a release removed began at 1 too: its tokens must not be taken for this one's.
                try CoexistenceState(
                    adopted: now, timeline: makesHistory ? CoexistenceState.freshTimeline : 1, commits: 1,
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
        } catch {
            if journal != "wal" { _ = try? connection.scalar("PRAGMA journal_mode=\(journal)") }
            throw error
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
