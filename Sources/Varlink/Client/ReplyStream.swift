/// The replies to one call, as they come.
public final class ReplyStream {
    private let client: Client
    /// How long to wait for each reply; nil for ever.
    public var timeout: Duration?
    private var isAtEnd = false

    init(_ client: Client, timeout: Duration?) {
        self.client = client
        self.timeout = timeout
    }

    /// Waits for the next reply; nil after the last.
    /// - Throws: ``ClientError``. An error that the server answers with ends the stream and leaves the connection
    ///   good; any other ends the connection.
    public func next() throws(ClientError) -> JSONObject? {
        guard !isAtEnd else { return nil }
        let reply: Reply
        do {
            reply = try client.receive(timeout)
        } catch {
            isAtEnd = true
            throw error
        }
        if !reply.continues {
            isAtEnd = true
            client.isStreaming = false
        }
        return try client.result(of: reply)
    }
}
