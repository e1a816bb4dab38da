import StoreFormat
import Synchronization

/// Those who want to be told of transactions as they are replayed. Telling never waits for anyone.
final class HistoryObservers: Sendable {
    private struct State {
        var next = 0
        var handlers: [Int: @Sendable (StackName, [HistoryTransaction]) -> Void] = [:]
    }

    private let state = Mutex(State())

    func add(_ handler: @escaping @Sendable (StackName, [HistoryTransaction]) -> Void) -> Int {
        state.withLock { state in
            state.next += 1
            state.handlers[state.next] = handler
            return state.next
        }
    }

    func remove(_ token: Int) {
        state.withLock { $0.handlers[token] = nil }
    }

    func tell(_ stack: StackName, _ transactions: [HistoryTransaction]) {
        for handler in state.withLock({ Array($0.handlers.values) }) { handler(stack, transactions) }
    }
}

extension StoreBridge {
    /// Calls the handler with transactions after each replay, on the replay's queue, until `removeObserver`. Those of this
    /// process' own commits may come without tombstones.
    public func addObserver(_ handler: @escaping @Sendable (StackName, [HistoryTransaction]) -> Void) -> Int {
        observers.add(handler)
    }

    /// Ends the calls to the handler that `addObserver` gave this token for; an unknown token does nothing.
    public func removeObserver(_ token: Int) {
        observers.remove(token)
    }
}
