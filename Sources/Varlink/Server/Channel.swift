import Synchronization

/// What a connection's loop and the handlers of its calls share: the output that waits, and the state of the one call
/// that is being answered.
///
/// Replies are put into the output under the lock, so that their order on the wire is the order in which they were
/// given, whatever threads gave them. User code is never run, and no call released, under the lock.
final class Channel: Sendable {
    private struct State {
        /// Output that the loop has not taken over.
        var outbox: [UInt8] = []
        /// Bytes in the outbox and in the loop's hands that were not sent.
        var queued = 0
        /// Set when the connection is closed, or to be closed by the loop.
        var closeReason: CloseReason?
        /// The call that is being answered, by its number, and whether its final reply was given.
        var active: UInt64?
        var isFinished = false
        var hasContinued = false
        var call: Call?
        /// Set once the client was told that it sent what is no message: it gets nothing after that.
        var isObjected = false
        /// Whether the loop will look at this state anyway.
        var isNoticed = false
        var closeHandlers: [@Sendable (CloseReason) -> Void] = []
        var stopHandlers: [@Sendable () -> Void] = []
        var waiters: [@Sendable (Bool) -> Void] = []

        /// Takes the handlers out, to be released when the lock is not held: releasing one may end a call.
        mutating func dropHandlers() -> State {
            var dropped = State()
            swap(&dropped.closeHandlers, &closeHandlers)
            swap(&dropped.stopHandlers, &stopHandlers)
            return dropped
        }
    }

    /// What the loop finds at a connection.
    struct Findings {
        /// Why the connection must be closed.
        var closeReason: CloseReason?
        /// Whether a call was finished since the last look.
        var hasFinished = false
        /// Bytes of output that were not sent.
        var queued = 0
    }

    let id: UInt64
    let peer: Peer
    private let mailbox: Mailbox
    private let limit: Int
    private let state = Mutex(State())

    init(id: UInt64, peer: Peer, limit: Int, mailbox: Mailbox) {
        self.id = id
        self.peer = peer
        self.limit = limit
        self.mailbox = mailbox
    }

    // MARK: For handlers, on any thread

    var isOpen: Bool { state.withLock { $0.closeReason == nil } }

    /// Gives a reply to a call.
    /// - Parameter isBounded: whether to close the connection if too much waits for the client to read.
    /// - Returns: whether the client will get it, unless the connection breaks.
    func reply(_ reply: Reply, to number: UInt64, isOneway: Bool, isBounded: Bool) -> Bool {
        let bytes = isOneway ? [] : reply.message
        var released: State?
        let (isSent, needsNotice) = state.withLock { state in
            guard state.active == number, !state.isFinished, !state.isObjected else { return (false, false) }
            if !reply.continues {
                state.isFinished = true
                released = state.dropHandlers()
            }
            if state.closeReason == nil, !isOneway {
                if isBounded, state.queued > 0, state.queued + bytes.count > limit {
                    state.closeReason = .tooSlow
                } else {
                    state.outbox.append(contentsOf: bytes)
                    state.queued += bytes.count
                    state.hasContinued = state.hasContinued || reply.continues
                }
            }
            let isSent = state.closeReason == nil && !isOneway
            let needsNotice = !state.isNoticed
            state.isNoticed = true
            return (isSent, needsNotice)
        }
        _ = released
        if needsNotice { mailbox.post(.attention(id)) }
        return isSent
    }

    /// Ends a call that no handler holds any longer.
    func abandon(_ number: UInt64, isOneway: Bool) {
        let needsNotice = state.withLock { state in
            guard state.active == number, !state.isFinished else { return false }
            state.isFinished = true
            if !isOneway, state.closeReason == nil { state.closeReason = .abandoned }
            defer { state.isNoticed = true }
            return !state.isNoticed
        }
        if needsNotice { mailbox.post(.attention(id)) }
    }

    func onClose(of number: UInt64, _ handler: @escaping @Sendable (CloseReason) -> Void) {
        let reason: CloseReason? = state.withLock { state in
            guard state.active == number, !state.isFinished else { return nil }
            if state.closeReason == nil { state.closeHandlers.append(handler) }
            return state.closeReason
        }
        if let reason { handler(reason) }
    }

    func onStop(of number: UInt64, _ handler: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if state.active == number, !state.isFinished { state.stopHandlers.append(handler) }
        }
    }

    /// Calls the handler when at most half of the allowed output waits, or with false when the connection is closed.
    func whenWritable(_ handler: @escaping @Sendable (Bool) -> Void) {
        let answer: Bool? = state.withLock { state in
            if state.closeReason != nil { return false }
            if state.queued <= limit / 2 { return true }
            state.waiters.append(handler)
            return nil
        }
        if let answer { handler(answer) }
    }

    // MARK: For the loop

    /// Makes a call the one that is being answered. Until the next look no notice is needed.
    func begin(_ number: UInt64, _ call: Call) {
        state.withLock { state in
            state.active = number
            state.isFinished = false
            state.hasContinued = false
            state.call = call
            state.isNoticed = true
        }
    }

    func look() -> Findings {
        state.withLock { state in
            state.isNoticed = false
            let findings = Findings(
                closeReason: state.closeReason, hasFinished: state.isFinished, queued: state.queued)
            if state.isFinished {
                state.active = nil
                state.isFinished = false
                state.call = nil
            }
            return findings
        }
    }

    /// Exchanges an empty buffer for the output that waits.
    func takeOutput(_ buffer: inout [UInt8]) {
        state.withLock { swap(&$0.outbox, &buffer) }
    }

    /// Gives the last reply of all, which answers a message that is none. A stream that runs gets no other.
    func object(with reply: Reply) {
        let bytes = reply.message
        state.withLock { state in
            state.isObjected = true
            guard state.closeReason == nil else { return }
            state.outbox.append(contentsOf: bytes)
            state.queued += bytes.count
        }
    }

    /// Counts bytes that were sent.
    func sent(_ count: Int) {
        let waiters: [@Sendable (Bool) -> Void] = state.withLock { state in
            state.queued -= count
            guard state.queued <= limit / 2, !state.waiters.isEmpty else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter(true) }
    }

    /// Marks the connection as closed and tells whoever wants to know.
    func close(_ reason: CloseReason) {
        var released: State?
        state.withLock { state in
            if state.closeReason == nil { state.closeReason = reason }
            released = state.dropHandlers()
            released?.waiters = state.waiters
            state.waiters = []
            state.outbox = []
            state.queued = 0
        }
        for waiter in released?.waiters ?? [] { waiter(false) }
        for handler in released?.closeHandlers ?? [] { handler(reason) }
    }

    /// Tells the call that is being answered that the server stops: its own handlers, or else, for a stream, the
    /// farewell's final reply.
    func stop(_ farewell: Server.Farewell?) {
        var handlers: [@Sendable () -> Void] = []
        var stream: (number: UInt64, call: Call)?
        state.withLock { state in
            guard let number = state.active, !state.isFinished, let call = state.call else { return }
            handlers = state.stopHandlers
            state.stopHandlers = []
            if handlers.isEmpty, state.hasContinued { stream = (number, call) }
        }
        for handler in handlers { handler() }
        if let stream, var last = farewell?(stream.call) {
            last.continues = false
            _ = reply(last, to: stream.number, isOneway: false, isBounded: false)
        }
    }
}
