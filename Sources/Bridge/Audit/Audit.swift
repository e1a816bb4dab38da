import Foundation
import SQLite
import StoreFormat
import StoreModel

/// Proves by history, the record of writers and the record of handovers alone that every entity had one writer, from
/// adoption or the last purge on; and that history explains the rows, from a backup on.
///
/// Reads only, in one snapshot, also beside a running daemon.
public enum Audit {
    /// How far an audit has got.
    public struct Progress: Sendable, Hashable {
        /// Transactions and rows that were looked at.
        public var done: Int
        /// How many there are of both, about.
        public var total: Int
    }

    /// Audits a store.
    /// - Parameters:
    ///   - backup: a backup of this store to compare the rows with; nil takes the one that adoption made.
    ///   - model: the model to read the backup by; nil takes its own.
    ///   - progress: told now and then.
    /// - Throws: `StoreError`: `NotAdopted`; for a backup that is given, `OtherStore`, `SchemaMismatch` or `Refused` where
    ///   it cannot serve.
    public static func run(
        _ store: Store, since backup: String? = nil, model: ModelDescription? = nil,
        progress: (Progress) -> Void = { _ in }
    ) throws -> AuditReport {
        try StoreConnector.translating(store.path) {
            let connection = try StoreConnector.offlineReader(store.path)
            return try connection.transaction(.deferred) {
                try run(connection, store, backup, model, progress)
            }
        }
    }

    private static func run(
        _ connection: Connection, _ store: Store, _ given: String?, _ model: ModelDescription?,
        _ progress: (Progress) -> Void
    ) throws -> AuditReport {
        guard let register = try OwnershipRegister.read(connection) else {
            throw StoreError(
                .notAdopted, "\(store.path) has not been adopted: there is no record of who wrote what",
                way: "start a daemon on it")
        }
        let state = try CoexistenceState.read(connection)
        let extent = try HistoryReader(connection, store: store).extent()
        var report = AuditReport()
        report.start = max(state.historyStart, state.purgeFloor)
        report.last = extent.last
        let contradictions = try CoexistenceState.contradictions(connection)
        for contradiction in contradictions { report.add(.record, "COEXIST_STATE", contradiction.text) }
        // What a bound would hide is looked at all the same.
        if let first = contradictions.map(\.first).min() { report.start = min(report.start, max(1, first) - 1) }
        if state.purgeFloor > state.historyStart, contradictions.isEmpty {
            report.notes.append(
                "history up to transaction \(state.purgeFloor) has been purged: what it said is not proved")
        }
        let base = try AuditBase.find(given: given, adoption: state, store: store, model: model, &report)
        var counter = Progress(done: 0, total: Int(extent.count))
        if let base { counter.total += try rowCount(connection, store, base) }
        func count() {
            counter.done += 1
            if counter.done % 1_000 == 0 { progress(counter) }
        }

        try RegisterAudit(connection, store: store, register: register).run(&report)
        let timeline = try OwnershipTimeline(connection, register: register)
        for (unit, what) in timeline.contradictions { report.add(.record, unit, what) }
        // A purge in the middle of what a backup would have to be followed by is said above, and is no gap.
        for gap in try HistoryContinuity(connection, store: store, after: report.start).gaps() {
            report.add(.gap, gap.place, gap.what)
        }
        for numbers in try SkippedNumbers.read(connection) where numbers.upperBound > report.start {
            report.notes.append(
                "transactions \(numbers.lowerBound) to \(numbers.upperBound) were handed out in a store that a restore "
                    + "replaced: they are not in this one")
        }
        try WriterAudit(connection, store: store, timeline: timeline).run(&report, progress: count)
        for (unit, number, why) in timeline.beginnings where number > report.start {
            guard report.migrations.contains(where: { $0.number == number }) else {
                report.add(.record, unit, "its record begins at transaction \(number), which is no migration")
                continue
            }
            report.notes.append(
                "\(unit) is audited from transaction \(number) on, a migration\(why.map { ": \($0)" } ?? "")")
        }
        try explainMigrations(connection, store, &report)
        if let base {
            report.backup = base.path
            try base.connection.transaction(.deferred) {
                try RowAudit(now: connection, store: store, base: base).run(&report, progress: count)
                try JoinAudit(now: connection, store: store, base: base).run(&report)
            }
        }
        return report
    }

    /// What of the audit reaches across a migration, and what does not.
    private static func explainMigrations(
        _ connection: Connection, _ store: Store, _ report: inout AuditReport
    ) throws {
        guard let last = report.migrations.last else { return }
        report.notes.append(
            "the store was migrated in transaction \(last.number): writers and epochs are audited across it, under the names "
                + "that units and entities have now; rows are compared only with a backup from after it (--since), and for "
                + "what came before it, audit the copy that it left, \(store.path).before-migration-TIME")
        let gone = try HistoryContinuity(connection, store: store, after: report.start)
            .gapsBefore(migration: last.number)
        guard !gone.isEmpty else { return }
        report.notes.append(
            "changes are missing in \(gone.count) place\(gone.count == 1 ? "" : "s") before transaction \(last.number): a "
                + "migration drops those of entities that it removes, and nothing else tells them from lost ones; the copy "
                + "from before it has them")
    }

    private static func rowCount(_ connection: Connection, _ store: Store, _ base: AuditBase) throws -> Int {
        try RowCounts.read(connection, store: store).values.reduce(0) { $0 + Int($1) }
    }
}
