import Bridge
import StoreFormat
import Synchronization
import Varlink

/// Follows history for one client: sends what is there, then each transaction as it comes, until the client goes.
///
/// What the client has not read is left in history but for a page, so a slow one costs no memory. One that reads nothing is
/// closed by the server after its time, and takes up again from its last token.
final class HistoryFeed: Sendable {
    private struct State {
        var query: Requests.HistoryQuery
        var isRunning = false
        var isSignalled = false
        var isEnded = false
        var observer: Int?
        /// How often history had been replaced when the feed began.
        var rewinds: Int
    }

    private let requests: Requests
    private let call: IncomingCall
    private let queue: RequestQueue
    private let state: Mutex<State>

    init(_ query: Requests.HistoryQuery, requests: Requests, call: IncomingCall, queue: RequestQueue) {
        self.requests = requests
        self.call = call
        self.queue = queue
        state = Mutex(State(query: query, rewinds: requests.bridge.counts.rewinds))
    }

    func start() {
        let observer = requests.bridge.addObserver { [weak self] _, _ in self?.signal() }
        state.withLock { $0.observer = observer }
        // The call's handlers keep the feed alive until the call has ended.
        call.onClose { _ in self.end() }
        call.onStop {
            self.end()
            self.call.fail(
                "\(ControlInterface.name).Stopping",
                ["message": "the daemon stops", "way": "follow again from the last token", "objects": []])
        }
        signal()
    }

    private func signal() {
        let starts = state.withLock { state in
            guard !state.isEnded else { return false }
            state.isSignalled = true
            guard !state.isRunning else { return false }
            state.isRunning = true
            return true
        }
        if starts { queue.run { self.run() } }
    }

    private func run() {
        let query = state.withLock { state -> Requests.HistoryQuery? in
            guard state.isSignalled, !state.isEnded else {
                state.isRunning = false
                return nil
            }
            state.isSignalled = false
            return state.query
        }
        guard let query else { return }
        do {
            guard requests.bridge.counts.rewinds == state.withLock(\.rewinds) else {
                throw StoreError(
                    .tokenExpired, "another program put other content in the store, with another history",
                    way: HistoryToken.wayOfExpired)
            }
            let (transactions, place) = try requests.historyPage(query)
            for transaction in transactions { guard call.sendPaced(transaction) else { return end() } }
            let isDone = state.withLock { state in
                state.query = query.after(place, sent: transactions.count)
                if !place.isEnd { state.isSignalled = true }
                return state.query.limit == 0
            }
            if isDone {
                end()
                call.reply()
                return
            }
        } catch {
            end()
            let reply = ErrorReply.of(error)
            call.fail(reply.name, reply.parameters)
            return
        }
        call.whenWritable { isOpen in
            if isOpen { self.queue.run { self.run() } }
        }
    }

    private func end() {
        let observer = state.withLock { state in
            state.isEnded = true
            defer { state.observer = nil }
            return state.observer
        }
        if let observer { requests.bridge.removeObserver(observer) }
    }
}
