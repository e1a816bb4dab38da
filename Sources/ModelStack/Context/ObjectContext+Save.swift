import StoreFormat

extension ObjectContext {
    /// Writes the pending changes in one transaction.
    /// - Returns: the history transaction's number; nil where nothing had to be written.
    /// - Throws: `StoreError`; then nothing is written, and the changes are still pending.
    @discardableResult
    func save(author: String?, contextName: String?) throws -> Int64? {
        syncIfNeeded()
        if let error = deferredError {
            deferredError = nil
            throw error
        }
        guard !pending.isEmpty else { return nil }
        guard hasChanges else {
            for backing in pending where backing.state == .persistent { backing.values = [] }
            finishSave([:])
            return nil
        }
        guard let lane = instance.writer else {
            throw StoreError(
                .readOnly, instance.readOnlyReason ?? "\(instance.store.path) was opened for reading only",
                way: "open it for writing, with history tracking on")
        }
        let identity = TransactionIdentity(author: author, contextName: contextName)
        let forwarding = instance.state.withLock(\.forwarding)
        let (run, number, sideEffects, forwarded, history) = try noticingConflicts {
            try instance.saving {
                syncIfNeeded()
                return try lane.use { writer in
                    let (run, number) = try writer.save(instance.authority, identity, forwarding: forwarding) {
                        transaction in
                        let run = SaveRun(self, transaction)
                        try run.run()
                        return run
                    }
                    return (run, number, writer.sideEffects, writer.forwarded, writer.written)
                }
            }
        }
        run.finish()
        if !sideEffects.isEmpty { instance.dropCaches(of: sideEffects, position: nil) }
        if let number, number > 0 { instance.didCommit(number, forwarded: forwarded, history: history) }
        return number
    }

    private func noticingConflicts<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StoreError where error.code == .versionConflict {
            didConflict(error.objects)
            throw error
        }
    }

    /// A save found that somebody else wrote these objects, which the news may not have told yet: what is given up is
    /// read anew.
    private func didConflict(_ offences: [StoreError.Offence]) {
        for object in offences.map(\.object) {
            guard let entity = plan[object.entity], let backing = registeredObject(entity.root, object.key) else {
                continue
            }
            instance.cache.remove(root: entity.root, key: backing.key)
            backing.isStale = true
            // What a delete rule reached has no change that a rollback would give up.
            if !pendingContains(backing) { backing.isShown = false }
        }
    }
}

extension ModelInstance {
    /// In whose name this instance saves.
    public var authority: SaveAuthority {
        SaveAuthority(stack: .model, instanceName: instanceName, epochs: state.withLock { $0.epochs })
    }

    func didCommit(_ number: Int64, forwarded: Int64?, history: HistoryTransaction? = nil) {
        let handler = state.withLock { state in
            // The caches hold what was just written; a gap before it is the replay's to fill.
            if (forwarded ?? number) == state.position + 1 { state.position = number }
            return state.commitHandler
        }
        handler?(
            CommitNotice(
                stack: .model, instanceName: instanceName, transaction: number, forwarded: forwarded, history: history))
        options.readerAge?.look()
    }
}
