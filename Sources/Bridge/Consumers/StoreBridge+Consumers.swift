import Foundation
import SQLite
import StoreFormat

/// A durable reader of history, and how far behind it is.
public struct ConsumerStatus: Sendable, Hashable {
    /// The reader's name.
    public var name: String
    /// The last transaction that it has acknowledged.
    public var number: Int64
    /// Whether it can go on.
    public var state: ConsumerRegister.State
    /// How many transactions it has not acknowledged; nil for one that is expired, since some of them may be gone.
    public var lag: Int64?
    /// Seconds from the oldest transaction that it has not acknowledged until now; 0 where there is none, nil for one that is
    /// expired.
    public var lagSeconds: Double?
    /// How many transactions would be purged if it were not there.
    public var keeps: Int64
}

/// What a purge did, or would do.
public struct PruneResult: Sendable, Hashable {
    /// The last transaction that is gone.
    public var last: Int64
    /// How many transactions went.
    public var transactions: Int64
    /// The readers that kept something which was to go.
    public var holders: [String]
}

extension StoreBridge {
    /// Every durable reader.
    public func consumers() throws -> [ConsumerStatus] {
        let (store, now) = (store, Date().timeIntervalSinceReferenceDate)
        return try read { connection in
            try connection.transaction(.deferred) {
                let consumers = try ConsumerRegister(connection, store: store).all()
                let tail = try HistoryTail(connection, after: consumers.map(\.number), store: store)
                let active = consumers.filter { $0.state == .active }.map(\.number).sorted().prefix(2)
                return consumers.map { consumer in
                    let lag = tail.count(after: consumer.number)
                    // Without the slowest the next one keeps history; without any other nobody does.
                    let keeps = consumer.state == .active && consumer.number == active.first
                    let others = keeps && active.count > 1 ? tail.count(after: active[1]) : 0
                    let isActive = consumer.state == .active
                    return ConsumerStatus(
                        name: consumer.name, number: consumer.number, state: consumer.state,
                        lag: isActive ? lag : nil,
                        lagSeconds: isActive ? tail.next(after: consumer.number).map { max(0, now - $0) } ?? 0 : nil,
                        keeps: keeps ? lag - others : 0)
                }
            }
        }
    }

    /// Adds a durable reader: history after its place is kept from now on.
    /// - Parameter number: the transaction that it has read up to; nil is the newest.
    /// - Throws: `StoreError` `AlreadyExists`, `TokenExpired`, `Refused`.
    public func addConsumer(_ name: String, from number: Int64? = nil, user: String? = nil) throws {
        let store = store
        var place: Int64 = 0
        try register { connection in
            let last = try number ?? HistoryReader(connection, store: store).last()
            try ConsumerRegister(connection, store: store).add(name, from: last)
            place = last
        }
        tell("consumer \(name) was added at transaction \(place)", by: user)
    }

    /// Takes note that a reader has dealt with everything up to a transaction.
    /// - Throws: `StoreError` `UnknownObject`, `TokenExpired`, `Refused`.
    public func acknowledge(_ name: String, _ number: Int64) throws {
        let store = store
        try register { try ConsumerRegister($0, store: store).acknowledge(name, number) }
        nudgeRetention()
    }

    /// Removes a reader: nothing is kept for it any more.
    /// - Throws: `StoreError` `UnknownObject`.
    public func removeConsumer(_ name: String, user: String? = nil) throws {
        let store = store
        try register { try ConsumerRegister($0, store: store).remove(name) }
        tell("consumer \(name) was removed", by: user)
        nudgeRetention()
    }

    private func register(_ change: (Connection) throws -> Void) throws {
        try maintain { connection in
            try connection.transaction(.immediate) {
                try change(connection)
                try CoexistenceState.countCommit(connection)
            }
        }
    }

    /// Purges history as far as durable readers, handovers that run, and both stacks have got, in batches between which saves
    /// go on.
    /// - Parameter user: who wants it, for the log.
    /// - Throws: `StoreError`.
    public func prune(
        _ bound: HistoryPurge.Bound, isDryRun: Bool = false, user: String? = nil
    ) throws -> PruneResult {
        let store = store
        if !isDryRun { try replay() }
        let position = min(isDryRun ? .max : min(legacy.position, model.position), holds.limit)
        let plan = try read { connection in
            try connection.transaction(.deferred) {
                try HistoryPurge(connection, store: store).plan(bound, notPast: position)
            }
        }
        if !isDryRun {
            while try maintain({ try HistoryPurge($0, store: store).step(through: plan.last) }) {}
            if plan.transactions > 0 {
                let count = "\(plan.transactions) transaction\(plan.transactions == 1 ? "" : "s")"
                tell("history was purged: \(count), up to number \(plan.last)", by: user)
            }
        }
        return PruneResult(last: plan.last, transactions: plan.transactions, holders: plan.holders.map(\.name))
    }

    /// Gives up the readers that keep history which a bound lets go.
    func expireConsumers(inTheWayOf bound: HistoryPurge.Bound) throws {
        let store = store
        let plan = try read { try HistoryPurge($0, store: store).plan(bound) }
        guard !plan.holders.isEmpty else { return }
        var names: [String] = []
        try register { names = try ConsumerRegister($0, store: store).expire(behind: plan.wanted) }
        for name in names {
            alarm(
                "consumer \(name) fell behind what history.retention and history.maximumTransactions keep: it is expired"
            )
        }
    }
}
