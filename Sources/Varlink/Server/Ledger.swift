import Synchronization

/// What a loop tells the outside: figures, and its end.
final class Ledger: Sendable {
    private struct State {
        var statistics = ServerStatistics()
        var hasEnded = false
        var waiters: [@Sendable () -> Void] = []
    }

    /// Opens at the end.
    let end: Latch
    private let state = Mutex(State())

    init() throws(SystemError) {
        end = try Latch()
    }

    var statistics: ServerStatistics { state.withLock { $0.statistics } }

    func update(_ change: (inout ServerStatistics) -> Void) {
        state.withLock { change(&$0.statistics) }
    }

    func loopEnded() {
        let waiters = state.withLock { state in
            state.hasEnded = true
            defer { state.waiters = [] }
            return state.waiters
        }
        end.open()
        for waiter in waiters { waiter() }
    }

    func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.waiters.append(body) }
            return state.hasEnded
        }
        if hasEnded { body() }
    }
}
