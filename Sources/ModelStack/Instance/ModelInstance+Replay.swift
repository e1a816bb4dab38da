import SQLite
import StoreFormat

extension ModelInstance {
    /// Drops cached rows that others changed, tells the contexts, and reads the ownership epochs anew.
    ///
    /// Transactions at or below `position`, and this instance's own, change nothing but the position.
    /// - Throws: `StoreError` where the epochs cannot be read.
    public func apply(_ transactions: [HistoryTransaction], readsEpochs: Bool) throws {
        let start = position
        var news: [HistoryTransaction] = []
        // In the order of history, which is mostly that of the keys and so of the memory behind them.
        var rows: [RowCache.Outdated] = []
        var (changed, dropped): (Set<Int>, Set<Int>) = ([], [])
        var (details, entity): (HistoryChange.Details?, EntityPlan?) = (nil, nil)
        var last = start
        for transaction in transactions where transaction.number > last {
            last = transaction.number
            guard !transaction.isKnown(to: instanceName) else { continue }
            news.append(transaction)
            dropped.formUnion((transaction.changedEntities ?? []).compactMap { plan[$0]?.root })
            let committed = transaction.timestamp.timeIntervalSinceReferenceDate
            for change in transaction.changes {
                if details !== change.details {
                    details = change.details
                    if entity?.name != change.details.entity { entity = plan[change.details.entity] }
                    if let entity { changed.insert(entity.root) }
                }
                if let entity { rows.append((entity.root, change.key, committed)) }
            }
        }
        if !rows.isEmpty {
            cache.invalidate(rows)
            // A context that is made from here on reads what is new.
            if contexts.hasAny { contexts.tell(.changed(changes(of: news))) }
        }
        // What the store's triggers wrote is not in history.
        dropped.formUnion(plan.dependents(of: dropped.union(changed)))
        if !dropped.isEmpty {
            cache.drop(dropped)
            contexts.tell(.dropped(dropped))
        }
        state.withLock { $0.position = max($0.position, last) }
        if readsEpochs { try readEpochs() }
        options.readerAge?.look()
    }

    private func changes(of transactions: [HistoryTransaction]) -> [ObjectChange] {
        transactions.flatMap { transaction in
            transaction.changes.compactMap { change in
                guard let entity = plan[change.details.entity] else { return nil }
                return ObjectChange(
                    root: entity.root, key: change.key, isDelete: change.kind == .delete,
                    properties: change.kind == .update && !change.properties.isEmpty ? change.properties : nil)
            }
        }
    }

    /// Drops the cached rows of these entities and their whole trees, or all, and takes the position where given.
    public func dropCaches(of entities: Set<String>?, position: Int64?) {
        let roots = entities.map { names in Set(names.compactMap { plan[$0]?.root }) }
        cache.drop(roots)
        contexts.tell(.dropped(roots))
        if let position { state.withLock { $0.position = position } }
    }

    /// Takes the ownership epochs of the register, as far as the position has reached.
    private func readEpochs() throws {
        let (position, held) = state.withLock { ($0.position, $0.epochs) }
        let epochs = try read { try OwnershipRegister.epochs($0, reachedBy: position, holding: held) }
        state.withLock { $0.epochs = epochs }
    }
}

/// A change that somebody else committed, to one object.
struct ObjectChange: Sendable, Hashable {
    let root: Int
    let key: Int64
    let isDelete: Bool
    /// The properties that were changed; nil where any may have been.
    var properties: [String]?
}
