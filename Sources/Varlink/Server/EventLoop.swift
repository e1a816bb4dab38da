import CEpoll
import Glibc
import Synchronization

/// The thread that owns all connections. An instance lives on that thread alone.
final class EventLoop {
    /// What the loop is made of, handed over to its thread.
    struct Parts: Sendable {
        var service: Service
        var listeners: [Listener]
        var limits: Limits
        var handler: Server.Handler
        var objection: Server.Objection
        var observer: Server.Observer?
        var poller: Poller
        var mailbox: Mailbox
        var ledger: Ledger
    }

    /// Tokens of the poller: the mailbox, the listeners by index, then connections.
    static let mailboxToken: UInt64 = 0
    static let firstConnection: UInt64 = 1 << 16

    let parts: Parts
    var connections: [UInt64: Connection] = [:]
    var clientsOfUser: [UInt32: Int] = [:]
    var nextConnection = EventLoop.firstConnection
    var nextCall: UInt64 = 1
    /// A descriptor kept to have one when all are used up.
    var spare: Int32
    /// When to listen again after a failure to accept that would repeat at once.
    var acceptAgain: MonotonicTime?
    /// Nothing is overdue before.
    var nextSweep = MonotonicTime.distantFuture
    /// Set once the loop is to stop.
    var stopDeadline: MonotonicTime?
    var chunk = [UInt8](repeating: 0, count: 1 << 16)

    init(_ parts: Parts) {
        self.parts = parts
        spare = open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    var poller: Poller { parts.poller }
    var limits: Limits { parts.limits }
    var isStopping: Bool { stopDeadline != nil }

    /// Runs until stopped.
    func run() {
        poller.add(parts.mailbox.descriptor, Poller.input, token: Self.mailboxToken)
        watchListeners()
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        while !isDone {
            let wake = min(nextSweep, stopDeadline ?? .distantFuture)
            let timeout = wake == .distantFuture ? -1 : wake.pollTimeout(from: .now)
            let count = poller.wait(&events, timeout: timeout)
            for index in 0..<count { handle(events[index]) }
            if nextSweep != .distantFuture { sweep() }
        }
        finish()
    }

    private var isDone: Bool {
        guard let stopDeadline else { return false }
        return connections.isEmpty || stopDeadline <= .now
    }

    private func handle(_ event: epoll_event) {
        let token = event.data.u64
        if token == Self.mailboxToken { return readMailbox() }
        if token < Self.firstConnection { return accept(from: Int(token) - 1) }
        // A connection may have been closed by an event before this one.
        guard let connection = connections[token], !connection.isGone else { return }
        if event.events & Poller.hangUp != 0 { return clientGone(connection) }
        if event.events & Poller.output != 0 { connection.isBlocked = false }
        if event.events & Poller.input != 0 { read(connection) }
        pump(connection)
    }

    private func readMailbox() {
        for message in parts.mailbox.take() { handle(message) }
    }

    private func handle(_ message: Mailbox.Message) {
        switch message {
        case .attention(let id):
            if let connection = connections[id] { pump(connection) }
        case .run(let body): body()
        case .stop(let duration, let farewell): stop(within: duration, farewell)
        }
    }

    /// Closes what is overdue, and finds when the next sweep is due.
    private func sweep() {
        let now = MonotonicTime.now
        guard nextSweep <= now else { return }
        nextSweep = .distantFuture
        if let time = acceptAgain {
            if time <= now, !isStopping { watchListeners() } else { nextSweep = min(nextSweep, time) }
        }
        for connection in Array(connections.values) where !connection.isGone {
            if let deadline = connection.messageDeadline, deadline <= now {
                connection.fault = .notInTime
                settle(connection)
            } else if let deadline = connection.stallDeadline, deadline <= now {
                close(connection, .stalled)
            } else if let deadline = connection.idleDeadline, deadline <= now {
                close(connection, .idle)
            } else {
                nextSweep = min(nextSweep, connection.deadline)
            }
        }
    }

    private func finish() {
        for connection in Array(connections.values) { close(connection, .serverStopped) }
        for message in parts.mailbox.finish() {
            if case .run(let body) = message { body() }
        }
        if spare >= 0 { Glibc.close(spare) }
        poller.close()
        parts.ledger.loopEnded()
    }
}
