/// A Varlink server on Unix sockets.
///
/// One thread owns all connections: it reads and checks calls, hands them to the handler one at a time a connection,
/// and sends what handlers reply. Nothing a client does or leaves undone makes a handler wait.
///
///     let listener = try Listener(path: "/run/example/org.example.ping")
///     let server = try Server(service: service, listeners: [listener]) { call in
///         call.reply(["pong": call.parameters["ping"] ?? .null])
///     }
public final class Server: Sendable {
    /// Answers a call. It is run on the server's thread: it must not block, and hands longer work over.
    public typealias Handler = @Sendable (IncomingCall) -> Void
    /// Is told of connections, on the server's thread, where it must not block.
    public typealias Observer = @Sendable (ServerEvent) -> Void
    /// Makes the last reply of a stream when the server stops; nil leaves it to its handler until the deadline.
    public typealias Farewell = @Sendable (Call) -> Reply?

    /// Makes the answer to what is no message, after which the connection is closed.
    public typealias Objection = @Sendable (MessageError) -> Reply

    private let mailbox: Mailbox
    private let ledger: Ledger

    /// Starts a server.
    /// - Parameters:
    ///   - service: what it offers. Calls of other methods, and calls whose parameters do not agree with the method's
    ///     input, are answered without the handler.
    ///   - listeners: where it listens; it stops them at its end.
    ///   - limits: what it grants its clients.
    ///   - observer: is told of connections.
    ///   - objection: answers what is no message; by default with `InvalidParameter` of `org.varlink.service`.
    ///   - handler: answers calls.
    /// - Throws: ``SystemError`` if there are no descriptors or threads left.
    public init(
        service: Service, listeners: [Listener], limits: Limits = Limits(), observer: Observer? = nil,
        objection: @escaping Objection = { $0.reply }, handler: @escaping Handler
    ) throws(SystemError) {
        mailbox = try Mailbox()
        ledger = try Ledger()
        let poller = try Poller()
        var limits = limits
        // With none, nothing would ever be read.
        limits.pipelinedCalls = max(1, limits.pipelinedCalls)
        let parts = EventLoop.Parts(
            service: service, listeners: listeners, limits: limits, handler: handler,
            objection: objection, observer: observer, poller: poller, mailbox: mailbox, ledger: ledger)
        do {
            try DetachedThread.start { EventLoop(parts).run() }
        } catch {
            poller.close()
            throw error
        }
    }

    deinit {
        stop(within: .zero)
    }

    /// What the server has done so far.
    public var statistics: ServerStatistics { ledger.statistics }

    /// Runs a body on the server's thread, between two turns of its loop; it must not block. That it runs proves that
    /// the loop turns, which is what a watchdog wants to know.
    /// - Returns: false if the server has stopped, and the body is not run.
    @discardableResult
    public func ping(_ body: @escaping @Sendable () -> Void) -> Bool {
        mailbox.post(.run(body))
    }

    /// Whether the loop turns: makes a trip through it and waits for its end. Not for the server's own thread.
    public func turns(within duration: Duration) -> Bool {
        guard let latch = try? Latch() else { return false }
        return ping { latch.open() } && latch.wait(within: duration)
    }

    /// Begins to stop, and returns at once.
    ///
    /// The server accepts and reads nothing more. Calls that are being answered may be finished until the deadline;
    /// what was replied is sent. Streams end by their own ``IncomingCall/onStop(_:)``, or else with the farewell.
    /// Calling it again can only bring the deadline forward.
    public func stop(within duration: Duration, farewell: Farewell? = nil) {
        mailbox.post(.stop(deadline: duration, farewell: farewell))
    }

    /// Blocks until the server has stopped. Not for the server's own thread.
    /// - Returns: whether it was within the time; nil waits for ever.
    @discardableResult
    public func waitUntilStopped(within duration: Duration? = nil) -> Bool {
        ledger.end.wait(within: duration)
    }

    /// Waits until the server has stopped.
    public func stopped() async {
        await withCheckedContinuation { continuation in
            ledger.whenEnded { continuation.resume() }
        }
    }
}
