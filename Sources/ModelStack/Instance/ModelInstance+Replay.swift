import SQLite
import StoreFormat

extension ModelInstance {
    /// Drops cached rows that others changed, tells the contexts, and reads the ownership epochs anew.
    ///
    /// Transactions at or below `position`, and this instance's own, change nothing but the position.
    /// - Throws: `StoreError` where the epochs cannot be read.
    public func apply(_ transactions: [HistoryTransaction], readsEpochs: Bool) throws {
        let start = position
        var changes: [ObjectChange] = []
        var dropped: Set<Int> = []
        var entity: EntityPlan?
        var last = start
        for transaction in transactions where transaction.number > last {
            last = transaction.number
            guard !transaction.isKnown(to: instanceName) else { continue }
            dropped.formUnion((transaction.changedEntities ?? []).compactMap { plan[$0]?.root })
            let committed = transaction.timestamp.timeIntervalSinceReferenceDate
            for change in transaction.changes {
                if entity?.name != change.object.entity { entity = plan[change.object.entity] }
                guard let entity else { continue }
                changes.append(
                    ObjectChange(
                        root: entity.root, key: change.object.key, isDelete: change.kind == .delete,
                        properties: change.kind == .update && !change.properties.isEmpty ? change.properties : nil,
                        committed: committed))
            }
        }
        if !changes.isEmpty {
            cache.invalidate(changes)
            contexts.tell(.changed(changes))
        }
        // What the store's triggers wrote is not in history.
        dropped.formUnion(plan.dependents(of: dropped.union(changes.lazy.map(\.root))))
        if !dropped.isEmpty {
            cache.drop(dropped)
            contexts.tell(.dropped(dropped))
        }
        state.withLock { $0.position = max($0.position, last) }
        if readsEpochs { try readEpochs() }
        options.readerAge?.look()
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
    /// When another instance committed it, in seconds since 2001; nil for a change of this instance.
    var committed: Double?
}
