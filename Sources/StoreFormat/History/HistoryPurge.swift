import Foundation
import SQLite

/// Removes the oldest transactions of history, a bounded batch at a time, and never past what a durable reader has not
/// acknowledged.
///
/// The numbers of what is purged are not handed out again: the counter in the catalogue stays.
public struct HistoryPurge {
    private let connection: Connection
    private let store: Store
    /// Changes that one batch removes at most: what a save may have to wait for.
    public static let batchChanges = 5_000

    /// How far history is to go.
    public enum Bound: Sendable, Hashable {
        /// Up to and with this transaction.
        case through(Int64)
        /// The longest run of transactions at the start that are all older: a clock may have gone back meanwhile.
        case before(Date)
        /// All but the newest ones.
        case keeping(Int64)
        /// As far as every active reader has acknowledged; nothing where there is none.
        case acknowledged
    }

    /// What a purge would do.
    public struct Plan: Sendable, Hashable {
        /// The last transaction to go; below the first one where nothing is to go.
        public var last: Int64
        /// The last transaction that the bound alone would let go.
        public var wanted: Int64
        /// How many transactions go.
        public var transactions: Int64
        /// The readers that keep something which the bound would let go.
        public var holders: [ConsumerRegister.Consumer]
    }

    /// Purges through a connection that writes.
    public init(_ connection: Connection, store: Store) {
        self.connection = connection
        self.store = store
    }

    /// What a purge up to a bound would remove now.
    /// - Parameter position: a transaction that is not to be passed, whoever holds it.
    public func plan(_ bound: Bound, notPast position: Int64 = .max) throws -> Plan {
        let extent = try HistoryReader(connection, store: store).extent()
        let active = try ConsumerRegister(connection, store: store).all().filter { $0.state == .active }
        let slowest = active.map(\.number).min()
        let wanted = min(try last(bound, extent, slowest), extent.last)
        let last = min(wanted, slowest ?? wanted, position)
        let count =
            try extent.count == 0
            ? 0
            : connection.scalar("SELECT count(*) FROM ATRANSACTION WHERE Z_PK <= ?", [.integer(last)])?.integerValue
                ?? 0
        return Plan(
            last: last, wanted: wanted, transactions: count, holders: active.filter { $0.number < wanted })
    }

    private func last(_ bound: Bound, _ extent: HistoryReader.Extent, _ slowest: Int64?) throws -> Int64 {
        guard let first = extent.first else { return 0 }
        switch bound {
        case .through(let number): return number
        case .before(let date):
            let newer = try connection.scalar(
                "SELECT min(Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP >= ?", [.real(date.timeIntervalSinceReferenceDate)]
            )
            return newer?.integerValue.map { max(1, $0) - 1 } ?? extent.last
        case .keeping(let count):
            guard extent.count > count else { return first - 1 }
            let kept = try connection.scalar(
                "SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK DESC LIMIT 1 OFFSET ?", [.integer(max(0, count))])
            return kept?.integerValue ?? first - 1
        case .acknowledged: return slowest ?? first - 1
        }
    }

    /// Removes the next batch, in a transaction of its own.
    /// - Parameter last: as a plan gave it; readers that were added since are heeded.
    /// - Returns: whether there is more to remove.
    public func step(through last: Int64) throws -> Bool {
        try connection.transaction(.immediate) {
            guard let first = try HistoryReader(connection, store: store).first() else { return false }
            let register = ConsumerRegister(connection, store: store)
            let slowest = try register.all().filter { $0.state == .active }.map(\.number).min()
            let last = min(last, slowest ?? last)
            guard first <= last else { return false }
            let isAdopted = try CoexistenceTables.exist(connection)
            let batch = try batch(from: first, through: last, splits: isAdopted)
            if batch.isWhole {
                try connection.run("DELETE FROM ACHANGE WHERE ZTRANSACTIONID <= ?", [.integer(batch.last)])
                try connection.run("DELETE FROM ATRANSACTION WHERE Z_PK <= ?", [.integer(batch.last)])
            } else {
                // The floor below says that the transaction is gone, though its row and some of its changes are not.
                let some = "SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID = ? LIMIT \(Self.batchChanges)"
                try connection.run("DELETE FROM ACHANGE WHERE Z_PK IN (\(some))", [.integer(batch.last)])
            }
            if isAdopted {
                try connection.run("DELETE FROM COEXIST_TRANSACTION WHERE NUMBER <= ?", [.integer(batch.last)])
                try connection.run(
                    "UPDATE COEXIST_STATE SET PURGE_FLOOR = max(PURGE_FLOOR, ?)", [.integer(batch.last)])
                try CoexistenceState.countCommit(connection)
            }
            return batch.last < last || !batch.isWhole
        }
    }

    /// The transactions of the next batch: as many as hold no more changes than a batch may.
    /// - Parameter splits: whether a transaction of more changes may be removed in parts; else it goes as a whole.
    private func batch(from first: Int64, through last: Int64, splits: Bool) throws -> (last: Int64, isWhole: Bool) {
        let next = try connection.scalar(
            """
            SELECT ZTRANSACTIONID FROM ACHANGE WHERE ZTRANSACTIONID BETWEEN ? AND ? ORDER BY ZTRANSACTIONID
            LIMIT 1 OFFSET \(Self.batchChanges)
            """, [.integer(first), .integer(last)])?.integerValue
        guard let next else {
            let many = try connection.scalar(
                "SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK LIMIT 1 OFFSET \(Self.batchChanges)")?.integerValue
            return (min(last, many ?? last), true)
        }
        if next > first { return (next - 1, true) }
        return (first, !splits)
    }
}
