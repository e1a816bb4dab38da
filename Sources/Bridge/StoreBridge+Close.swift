import SQLite
import StoreFormat
import Synchronization

extension StoreBridge {
    /// Stops replay, closes the stacks, and moves the WAL into the store. In-flight saves finish first.
    /// - Returns: what could not be done, for the log; empty if all was.
    @discardableResult
    public func close() -> [String] {
        options.readerAge.setHandler(nil)
        retention.withLock { keeper in
            keeper?.stop()
            keeper = nil
        }
        watcher.withLock { watcher in
            watcher?.stop()
            watcher = nil
        }
        thaws.finish()
        legacy.close()
        model.close()
        keeper.finish()
        log.finish()
        var problems: [String] = []
        if guardKeeper.mode == .whileRunning, readOnlyReason == nil {
            do {
                try maintain { connection in
                    try connection.transaction(.immediate) {
                        try GuardTriggers.remove(from: connection)
                        try CoexistenceState.countCommit(connection)
                    }
                }
            } catch { problems.append("the guard's triggers could not be removed: \(error)") }
        }
        readers.close()
        replayReaders.close()
        longReaders.close()
        StoreHealth.setHandler(of: store, nil)
        var logProblem: String?
        do {
            if readOnlyReason == nil {
                let result = try checkpoint(within: 2)
                if !result.isComplete {
                    let reader = LogReaders.description(databasePath: store.path) ?? "a reader"
                    problems.append("the WAL could not be checkpointed whole: in the way was \(reader)")
                }
            }
        } catch { logProblem = "the log could not be moved into the store, and has to stay beside it: \(error)" }
        maintenance?.close()
        // The last connection moves the log too, and removes it.
        if let logProblem, keeper.size > 0 { problems.append(logProblem) }
        lock?.release()
        return problems
    }
}
