import Dispatch
import Synchronization

/// Ends the freezes that a handover which failed could not end, since another program held the store's lock: tries again
/// until each has ended, or somebody else ended it.
final class ThawKeeper: Sendable {
    private struct State {
        var attempts: [String: @Sendable () throws -> Void] = [:]
        var isWaiting = false
        var isStopped = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "org.coexistd.thaw")
    /// Milliseconds between attempts.
    private static let pause = 1_000

    /// Takes a unit over.
    /// - Parameter thaw: ends its freeze; called again after a while as long as it throws.
    func add(_ unit: String, thaw: @escaping @Sendable () throws -> Void) {
        state.withLock { $0.attempts[unit] = thaw }
        wait()
    }

    /// Leaves a unit alone, whose freeze is somebody else's from now on.
    func forget(_ unit: String) {
        state.withLock { $0.attempts[unit] = nil }
    }

    private func wait() {
        let starts = state.withLock { state in
            guard !state.isWaiting, !state.isStopped, !state.attempts.isEmpty else { return false }
            state.isWaiting = true
            return true
        }
        guard starts else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.pause)) { [weak self] in self?.attempt() }
    }

    private func attempt() {
        let attempts = state.withLock { state in
            state.isWaiting = false
            return state.isStopped ? [:] : state.attempts
        }
        for (unit, thaw) in attempts where (try? thaw()) != nil { forget(unit) }
        wait()
    }

    /// Waits for an attempt that is running; none comes after.
    func finish() {
        state.withLock { $0.isStopped = true }
        queue.sync {}
    }
}
