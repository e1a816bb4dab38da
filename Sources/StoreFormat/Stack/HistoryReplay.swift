import SQLite

/// Brings a stack up to history, a bounded batch at a time.
public enum HistoryReplay {
    /// The changes after which a batch ends. A transaction that has more by itself is a batch of its own, whose objects
    /// nobody enumerates: the stack drops all rows of the entities that it changed. So memory is bounded, and a reader
    /// sees all of the transaction or nothing of it, as with any other.
    public static let batchChanges = 10_000

    /// Changes that wait for one context at most. Of a context that nobody uses, more become whole trees that it reads anew
    /// when it is used.
    package static let waitingChanges = 50_000

    /// What a step did.
    public enum Outcome: Sendable {
        /// There was nothing after the position.
        case upToDate
        case applied([HistoryTransaction])
        /// History after the position had been purged: the caches were dropped, once.
        case resynchronized(from: Int64, to: Int64)
    }

    /// Has the instance apply what comes next.
    public static func step(
        _ instance: any StackInstance, _ connection: Connection, batchChanges: Int = batchChanges
    ) throws -> Outcome {
        let (store, position) = (instance.store, instance.position)
        do {
            let batch = try StoreConnector.translating(store.path) {
                try connection.transaction(.deferred) {
                    try HistoryReader(connection, store: store)
                        .transactions(after: position, changeLimit: batchChanges, largest: batchChanges)
                }
            }
            // An empty batch too has the instance read the epochs anew.
            try instance.apply(batch)
            return batch.isEmpty ? .upToDate : .applied(batch)
        } catch let error as StoreError where error.code == .tokenExpired {
            let last = try StoreConnector.translating(store.path) {
                try HistoryReader(connection, store: store).last()
            }
            instance.dropCaches(of: nil, position: last)
            try instance.apply([])
            return .resynchronized(from: position, to: last)
        }
    }
}

extension StackInstance {
    /// Applies history, and reads the ownership epochs anew.
    public func apply(_ transactions: [HistoryTransaction]) throws { try apply(transactions, readsEpochs: true) }

    /// Applies all history after the position: for an instance without a bridge, which is told of nobody's commits.
    /// - Parameter batchChanges: the changes after which a batch ends.
    /// - Throws: `StoreError`.
    public func replay(batchChanges: Int = HistoryReplay.batchChanges) throws {
        let connection = try StoreConnector.connect(store.path, .reader)
        while case .applied = try HistoryReplay.step(self, connection, batchChanges: batchChanges) {}
    }
}
