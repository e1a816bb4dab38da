/// A connection to a Varlink server that blocks its thread, for command-line programs.
///
///     let client = try Client("unix:/run/example/org.example.ping", timeout: .seconds(5))
///     let reply = try client.call("org.example.ping.Ping", ["ping": "hello"])
///
/// After any error but ``ClientError/remote(error:parameters:)`` the connection is of no more use.
public final class Client {
    /// How long to wait for each reply, and to connect; nil for ever.
    public var timeout: Duration?
    /// How deeply a reply's arrays and objects may be nested.
    public var maximumDepth = JSON.defaultMaximumDepth
    private var socket: ClientSocket?
    var isStreaming = false

    /// Connects.
    /// - Parameters:
    ///   - address: `unix:PATH`, `unix:@abstract`, or a path with a slash in it.
    ///   - timeout: how long to wait for each reply, and to connect; nil for ever.
    ///   - maximumMessageBytes: the longest reply taken.
    /// - Throws: ``ClientError/badAddress(_:)``, ``ClientError/pathTooLong(_:limit:)``,
    ///   ``ClientError/notReachable(path:errno:)``, ``ClientError/timeout``.
    public init(
        _ address: String, timeout: Duration? = nil, maximumMessageBytes: Int = 64 << 20
    ) throws(ClientError) {
        self.timeout = timeout
        socket = try ClientSocket.connected(
            to: ClientAddress(address), timeout: timeout, maximumMessageBytes: maximumMessageBytes)
    }

    /// Calls a method and waits for its one reply.
    /// - Throws: ``ClientError``; an error that the server answers with as ``ClientError/remote(error:parameters:)``.
    public func call(_ method: String, _ parameters: JSONObject = [:]) throws(ClientError) -> JSONObject {
        try send(Call(method, parameters))
        let reply = try receive(timeout)
        guard !reply.continues else {
            close()
            throw .unexpectedContinuation
        }
        return try result(of: reply)
    }

    /// Calls a method that gives many replies. The connection takes no other call until the last of them was read.
    /// - Parameter timeout: how long to wait for each reply; nil for ever, as suits a stream of changes.
    /// - Throws: ``ClientError`` if the call cannot be sent.
    public func stream(
        _ method: String, _ parameters: JSONObject = [:], timeout: Duration? = nil
    ) throws(ClientError) -> ReplyStream {
        try send(Call(method, parameters, more: true))
        isStreaming = true
        return ReplyStream(self, timeout: timeout)
    }

    /// Calls a method that gives many replies, and passes each on. Where the body returns false or throws, the
    /// connection is closed, which is how a client ends a stream.
    /// - Throws: ``ClientError``, or what the body throws.
    public func stream(
        _ method: String, _ parameters: JSONObject = [:], timeout: Duration? = nil,
        each body: (JSONObject) throws -> Bool
    ) throws {
        let replies = try stream(method, parameters, timeout: timeout)
        defer { if isStreaming { close() } }
        while let reply = try replies.next() {
            guard try body(reply) else { return }
        }
    }

    /// Calls a method without waiting for anything: the server never replies to such a call.
    /// - Throws: ``ClientError`` if the call cannot be sent.
    public func oneway(_ method: String, _ parameters: JSONObject = [:]) throws(ClientError) {
        try send(Call(method, parameters, oneway: true))
    }

    /// Closes the connection.
    public func close() {
        socket = nil
        isStreaming = false
    }

    private func send(_ call: Call) throws(ClientError) {
        guard !isStreaming, socket != nil else { throw .notReady }
        do throws(ClientError) {
            try socket?.send(call.message, by: deadline(timeout))
        } catch .closed {
            // A server that takes no more of a message says why, and closes.
            let last = try? socket?.receive(by: deadline(timeout), maximumDepth: maximumDepth)
            close()
            if let last, let name = last.error { throw .remote(error: name, parameters: last.parameters) }
            throw .closed
        } catch {
            close()
            throw error
        }
    }

    func receive(_ timeout: Duration?) throws(ClientError) -> Reply {
        do throws(ClientError) {
            guard let reply = try socket?.receive(by: deadline(timeout), maximumDepth: maximumDepth) else {
                throw ClientError.notReady
            }
            return reply
        } catch {
            close()
            throw error
        }
    }

    func result(of reply: Reply) throws(ClientError) -> JSONObject {
        if let error = reply.error { throw .remote(error: error, parameters: reply.parameters) }
        return reply.parameters
    }

    private func deadline(_ timeout: Duration?) -> MonotonicTime {
        timeout.map { MonotonicTime.now + $0 } ?? .distantFuture
    }
}
