/// Keeps an instance without a bridge up to date: whenever somebody commits, the instance replays.
///
/// Ends with this object.
public final class InstanceFollower: Sendable {
    private let watcher: CommitWatcher

    /// Starts to follow.
    /// - Parameter told: called after each replay, on the watcher's thread.
    /// - Throws: `StoreError`.
    public init(_ instance: any StackInstance, told: @escaping @Sendable () -> Void = {}) throws {
        watcher = try CommitWatcher(store: instance.store) { [weak instance] finding in
            guard let instance else { return }
            switch finding {
            // A handover alone brings no history, but other epochs.
            case .committed(let news): if !news.hasHandover, instance.position >= news.last { return told() }
            case .untracked, .restarted: instance.dropCaches(of: nil, position: nil)
            case .rewound(_, let number): instance.dropCaches(of: nil, position: number)
            // The next look says so again; a save says it to somebody who can act on it.
            case .failed(let error):
                if error.code == .storeReplaced { instance.dropCaches(of: nil, position: nil) }
                return
            }
            try? instance.replay()
            told()
        }
        watcher.start()
    }

    /// Stops following, after the replay that may be running.
    public func stop() { watcher.stop() }

    deinit { watcher.stop() }
}
