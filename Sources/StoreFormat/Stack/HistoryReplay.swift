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
        /// History after the position had been purged, or ends before it, since somebody put older content in the file: the
        /// caches were dropped, once.
        case resynchronized(from: Int64, to: Int64)
    }

    /// Has the instance apply what comes next.
    public static func step(
        _ instance: any StackInstance, _ connection: Connection, batchChanges: Int = batchChanges
    ) throws -> Outcome {
        let (store, position) = (instance.store, instance.position)
        do {
            let (batch, last) = try StoreConnector.translating(store.path) {
                try connection.transaction(.deferred) {
                    let reader = HistoryReader(connection, store: store)
                    let batch = try reader.transactions(
                        after: position, changeLimit: batchChanges, largest: batchChanges)
                    return (batch, batch.isEmpty ? try reader.last() : position)
                }
            }
            // Numbers are never handed out again, so this is another history than the one that led to the position.
            if last < position { return try resynchronize(instance, from: position, to: last) }
            if batch.contains(where: { $0.unreadable != nil }) { instance.dropCaches(of: nil, position: nil) }
            // An empty batch too has the instance read the epochs anew.
            try instance.apply(batch)
            return batch.isEmpty ? .upToDate : .applied(batch)
        } catch let error as StoreError where error.code == .tokenExpired {
            let last = try StoreConnector.translating(store.path) {
                try HistoryReader(connection, store: store).last()
            }
            return try resynchronize(instance, from: position, to: last)
        }
    }

    /// Has the instance forget what it has cached, and go on after that number.
    public static func resynchronize(
        _ instance: any StackInstance, from position: Int64, to number: Int64
    ) throws -> Outcome {
        instance.dropCaches(of: nil, position: number)
        try instance.apply([])
        return .resynchronized(from: position, to: number)
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
