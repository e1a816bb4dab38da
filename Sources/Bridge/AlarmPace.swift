import Dispatch
import Synchronization

/// Tells of the first of many alike at once, and of those that follow together: after a second, after two more, and so on up
/// to a minute, until a pause passes in which nothing came. A storm is told in a few lines, and nothing of it is left out.
final class AlarmPace<Value: Sendable>: Sendable {
    private struct State {
        var waiting: Value?
        /// Seconds until what is waiting is told; 0 where the next one is told at once.
        var pause = 0
    }

    private let state = Mutex(State())
    private let merge: @Sendable (Value, Value) -> Value
    private let tell: @Sendable (Value) -> Void
    private static var longest: Int { 60 }

    /// - Parameters:
    ///   - merge: makes one of two that are told together, the older first.
    ///   - tell: called on any thread.
    init(merge: @escaping @Sendable (Value, Value) -> Value, tell: @escaping @Sendable (Value) -> Void) {
        self.merge = merge
        self.tell = tell
    }

    func note(_ value: Value) {
        let isFirst = state.withLock { state in
            guard state.pause == 0 else {
                state.waiting = state.waiting.map { merge($0, value) } ?? value
                return false
            }
            state.pause = 1
            return true
        }
        guard isFirst else { return }
        tell(value)
        wait(1)
    }

    private func wait(_ seconds: Int) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in self?.round() }
    }

    private func round() {
        let (told, pause) = state.withLock { state -> (Value?, Int) in
            defer { state.waiting = nil }
            state.pause = state.waiting == nil ? 0 : min(2 * state.pause, Self.longest)
            return (state.waiting, state.pause)
        }
        if let told { tell(told) }
        if pause > 0 { wait(pause) }
    }

    /// Tells what is waiting.
    func finish() {
        let told = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        if let told { tell(told) }
    }
}
