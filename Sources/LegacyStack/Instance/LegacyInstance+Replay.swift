import SQLite
import StoreFormat

extension LegacyInstance {
    /// Drops cached rows that others changed, tells the contexts, and reads the ownership epochs anew.
    ///
    /// Transactions at or below `position`, and this instance's own, change nothing but the position.
    /// - Throws: `StoreError` where the epochs cannot be read.
    public func apply(_ transactions: [HistoryTransaction], readsEpochs: Bool) throws {
        applyLock.lock()
        defer { applyLock.unlock() }
        var last = position
        let own = state.withLock { $0.own }
        var news: [HistoryTransaction] = []
        // In the order of history, which is mostly that of the keys and so of the memory behind them.
        var rows: [(root: Int, key: Int64, timestamp: Double)] = []
        var (changed, dropped): (Set<Int>, Set<Int>) = ([], [])
        var (details, entity): (HistoryChange.Details?, SchemaEntity?) = (nil, nil)
        for transaction in transactions where transaction.number > last {
            last = transaction.number
            guard !transaction.isKnown(to: instanceName), !own.contains(transaction.number) else { continue }
            news.append(transaction)
            dropped.formUnion((transaction.changedEntities ?? []).compactMap { schema[$0]?.rootIndex })
            let timestamp = transaction.timestamp.timeIntervalSinceReferenceDate
            for change in transaction.changes {
                if details !== change.details {
                    details = change.details
                    if entity?.name != change.details.entity { entity = schema[change.details.entity] }
                    if let entity { changed.insert(entity.rootIndex) }
                }
                if let entity { rows.append((entity.rootIndex, change.key, timestamp)) }
            }
        }
        if !rows.isEmpty || !dropped.isEmpty {
            if !rows.isEmpty { cache.invalidate(rows) }
            let reached = drop(dropped, derivedAfter: dropped.union(changed))
            // A context that is made from here on reads what is new.
            let contexts = contexts
            if !contexts.isEmpty {
                var changes = remoteChanges(of: news)
                changes.droppedRoots = reached
                for context in contexts { context.receive(changes) }
            }
        }
        if readsEpochs { try readEpochs(position: last) }
        state.withLock { state in
            state.position = max(state.position, last)
            state.own = state.own.filter { $0 > last }
        }
        options.readerAge?.look()
    }

    private func remoteChanges(of transactions: [HistoryTransaction]) -> RemoteChanges {
        var changes = RemoteChanges()
        for change in transactions.lazy.flatMap(\.changes) {
            guard let entity = schema[change.details.entity] else { continue }
            changes.add(.init(root: entity.rootIndex, key: change.key), isDeleted: change.kind == .delete)
        }
        return changes
    }

    /// Has all rows of some trees read anew, and those that a change can have reached: values that SQLite's triggers wrote
    /// are not in history.
    /// - Returns: the trees.
    private func drop(_ roots: Set<Int>, derivedAfter changed: Set<Int>) -> Set<Int> {
        let reached = roots.union(schema.dependents(of: changed))
        if !reached.isEmpty { cache.removeAll(roots: reached) }
        return reached
    }

    /// Takes the epochs of the register, except where the switch lies ahead of the position.
    private func readEpochs(position: Int64) throws {
        let held = state.withLock(\.epochs)
        let epochs = try read { connection in
            try connection.transaction(.deferred) {
                try OwnershipRegister.epochs(connection, reachedBy: position, holding: held)
            }
        }
        state.withLock { $0.epochs = epochs }
    }

    /// Drops the cached rows of these entities and their whole trees, or all, and takes the position where given.
    public func dropCaches(of entities: Set<String>?, position: Int64?) {
        let roots = entities.map { Set($0.compactMap { schema[$0]?.rootIndex }) }
        cache.removeAll(roots: roots)
        var changes = RemoteChanges()
        changes.droppedRoots = roots ?? Set(schema.entities.map(\.rootIndex))
        for context in contexts { context.receive(changes) }
        guard let position else { return }
        state.withLock { state in
            state.position = position
            // Where history went back, these numbers are handed out again.
            state.own = []
        }
    }
}
