import StoreFormat

/// Does what a finding of the store's watcher asks for.
struct FindingHandler: Sendable {
    let store: Store
    let replayers: [Replayer]
    let instances: [any StackInstance]
    let log: BridgeLog
    let health: BridgeHealth
    let guardKeeper: GuardKeeper
    /// Takes what the guard noted in its mode `record`: for each table that was written, whose objects that can have
    /// changed. Nil where that says nothing of what was written.
    let touched: @Sendable () -> [Set<String>]?
    /// The entities of the changes after one transaction, up to another.
    let changed: @Sendable (Int64, Int64) throws -> Set<String>

    func handle(_ finding: CommitCounts.Finding) {
        switch finding {
        case .committed(let news):
            if news.hasForeign { compareNotes(news) }
            // A handover alone brings no history, but other epochs.
            if news.hasHandover { break }
            for replayer in replayers { replayer.signal(ifBehind: news.last) }
            return
        case .untracked(let commits):
            // What was written while the guard was open was not noted either.
            let entities = mendGuard() ? nil : touched().map(Self.all)
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

    /// Replay takes in what the transactions of another program tell. What was written beside them is in the notes only.
    private func compareNotes(_ news: CommitCounts.News) {
        guard let noted = touched(), let told = try? changed(news.previous, news.last) else { return }
        let untold = noted.filter { $0.isDisjoint(with: told) }
        guard !untold.isEmpty else { return }
        let entities = Self.all(untold)
        dropCaches(of: entities)
        log.untracked(1, entities: entities)
    }

    private static func all(_ sets: [Set<String>]) -> Set<String> { sets.reduce(into: []) { $0.formUnion($1) } }

    @discardableResult
    private func mendGuard() -> Bool {
        // A store in trouble is not written.
        health.problem == nil && StoreHealth.problem(of: store) == nil && guardKeeper.mend()
    }

    private func dropCaches(of entities: Set<String>?) {
        for instance in instances { instance.dropCaches(of: entities, position: nil) }
    }
}
