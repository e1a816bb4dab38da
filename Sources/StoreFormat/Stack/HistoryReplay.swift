import SQLite

/// Brings a stack up to history, a bounded batch at a time.
public enum HistoryReplay {
    /// Changes in one batch at most, give or take a transaction.
    public static let batchChanges = 10_000

    /// What a step did.
    public enum Outcome: Sendable {
        /// There was nothing after the position.
        case upToDate
        case applied([HistoryTransaction])
        /// History after the position had been purged: the caches were dropped, once.
        case resynchronized(from: Int64, to: Int64)
    }

    /// Has the instance apply what comes next.
    public static func step(_ instance: any StackInstance, _ connection: Connection) throws -> Outcome {
        let (store, position) = (instance.store, instance.position)
        do {
            let batch = try StoreConnector.translating(store.path) {
                try connection.transaction(.deferred) {
                    try HistoryReader(connection, store: store).transactions(after: position, changeLimit: batchChanges)
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
    /// Applies all history after the position: for an instance without a bridge, which is told of nobody's commits.
    /// - Throws: `StoreError`.
    public func replay() throws {
        let connection = try StoreConnector.connect(store.path, .reader)
        while case .applied = try HistoryReplay.step(self, connection) {}
    }
}
