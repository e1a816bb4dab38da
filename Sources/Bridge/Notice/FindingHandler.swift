import StoreFormat

/// Does what a finding of the store's watcher asks for.
struct FindingHandler: Sendable {
    let store: Store
    let replayers: [Replayer]
    let instances: [any StackInstance]
    let log: BridgeLog
    let health: BridgeHealth
    let guardKeeper: GuardKeeper
    /// Takes what the guard noted in its mode `record`; nil where that says nothing of what was written.
    let touched: @Sendable () -> Set<String>?

    func handle(_ finding: CommitCounts.Finding) {
        switch finding {
        case .committed(let news):
            // Replay tells what a transaction of another program wrote: the notes of it are no longer needed.
            if news.hasForeign { _ = touched() }
            // A handover alone brings no history, but other epochs.
            if news.hasHandover { break }
            for replayer in replayers { replayer.signal(ifBehind: news.last) }
            return
        case .untracked(let commits):
            // What was written while the guard was open was not noted either.
            let entities = mendGuard() ? nil : touched()
            dropCaches(of: entities)
            log.untracked(commits, entities: entities)
        case .restarted:
            mendGuard()
            dropCaches(of: nil)
            log.alarm(.indexRebuilt, "the WAL index was rebuilt: every cache was dropped")
        case .rewound(let from, let to):
            mendGuard()
            _ = touched()
            log.rewound(from: from, to: to)
            for replayer in replayers { replayer.rewind(to: to) }
            return
        case .failed(let error):
            if error.code == .storeReplaced {
                health.note(error)
                dropCaches(of: nil)
            }
            if !health.explains(error) { log.alarm(.watcherFailed, "the watcher failed: \(error)") }
        }
        for replayer in replayers { replayer.signal() }
    }

    /// What is looked at whether or not there was a finding: the daemon's lock, and what is still to be done at the guard.
    func lookAfter(_ lock: StoreLock) {
        guard health.problem == nil else { return }
        do {
            if try !lock.check() {
                log.alarm(
                    .lockTaken,
                    "the lock file \(lock.path) was removed by another program: the lock was taken again")
            }
            guardKeeper.retry()
        } catch let error as StoreError {
            // Of files that are gone altogether the watcher says so.
            if (try? store.checkPlace()) != nil { health.note(error) }
        } catch {
            log.alarm(.watcherFailed, "the watcher failed: \(error)")
        }
    }

    @discardableResult
    private func mendGuard() -> Bool {
        // A store in trouble is not written.
        health.problem == nil && StoreHealth.problem(of: store) == nil && guardKeeper.mend()
    }

    private func dropCaches(of entities: Set<String>?) {
        for instance in instances { instance.dropCaches(of: entities, position: nil) }
    }
}
