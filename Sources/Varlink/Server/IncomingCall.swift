/// A call that a handler answers, from any thread.
///
/// A handler gives exactly one final reply, with ``reply(_:)`` or ``fail(_:_:)``; before it, if the client asked for
/// more, any number with ``send(_:)``. A call that is let go without a final reply closes its connection; a oneway call
/// may simply be let go. The next call of the same connection comes after that.
public final class IncomingCall: Sendable {
    /// What was called.
    public let call: Call
    private let channel: Channel
    private let number: UInt64

    init(_ call: Call, _ channel: Channel, number: UInt64) {
        self.call = call
        self.channel = channel
        self.number = number
    }

    deinit {
        channel.abandon(number, isOneway: call.oneway)
    }

    /// The input parameters, checked against the interface description.
    public var parameters: JSONObject { call.parameters }

    /// Who called.
    public var peer: Peer { channel.peer }

    /// The connection's number, never used again.
    public var connection: UInt64 { channel.id }

    /// Whether the client was still there when last heard of.
    public var isOpen: Bool { channel.isOpen }

    /// Gives the final reply. Never blocks.
    /// - Returns: whether it was taken for sending; false if the client has gone, the call is oneway, or a final reply
    ///   was given before.
    @discardableResult
    public func reply(_ parameters: JSONObject = [:]) -> Bool {
        channel.reply(Reply(parameters), to: number, isOneway: call.oneway, isBounded: false)
    }

    /// Gives an error as the final reply. Never blocks.
    /// - Parameters:
    ///   - error: the full name, `<interface>.<Error>`.
    ///   - parameters: the error's.
    /// - Returns: as ``reply(_:)``.
    @discardableResult
    public func fail(_ error: String, _ parameters: JSONObject = [:]) -> Bool {
        channel.reply(Reply(error: error, parameters), to: number, isOneway: call.oneway, isBounded: false)
    }

    /// Gives an error of `org.varlink.service` as the final reply. Never blocks.
    /// - Returns: as ``reply(_:)``.
    @discardableResult
    public func fail(_ error: ServiceError) -> Bool {
        channel.reply(error.reply, to: number, isOneway: call.oneway, isBounded: false)
    }

    /// Gives one of many replies. Never blocks: if more than ``Limits/queuedBytes`` wait for the client to read, the
    /// connection is closed with ``CloseReason/tooSlow``.
    ///
    /// A call without `more` cannot have many replies: it gets the final reply `ExpectedMore` instead.
    /// - Returns: whether to go on; false if the client has gone or the call has ended.
    @discardableResult
    public func send(_ parameters: JSONObject = [:]) -> Bool {
        send(parameters, isBounded: true)
    }

    /// Gives one of many replies once the client has read most of those before: for long results that a producer can
    /// give at the client's pace. A client that reads nothing for ``Limits/stallTime`` is closed.
    /// - Returns: whether to go on; false if the client has gone or the call has ended.
    public func sendWhenWritable(_ parameters: JSONObject = [:]) async -> Bool {
        let isWritable = await withCheckedContinuation { continuation in
            channel.whenWritable { continuation.resume(returning: $0) }
        }
        return isWritable && send(parameters, isBounded: false)
    }

    /// Gives one of many replies, whatever waits for the client already: for a producer that makes a few replies at a time
    /// and waits for ``whenWritable(_:)`` before the next ones.
    /// - Returns: whether to go on; false if the client has gone or the call has ended.
    @discardableResult
    public func sendPaced(_ parameters: JSONObject = [:]) -> Bool {
        send(parameters, isBounded: false)
    }

    /// Calls the handler once, when at most half of ``Limits/queuedBytes`` wait for the client to read: at once, or
    /// later on the server's thread, where it must not block. It gets false if the connection is closed first.
    public func whenWritable(_ handler: @escaping @Sendable (_ isOpen: Bool) -> Void) {
        channel.whenWritable(handler)
    }

    /// Calls the handler once if the connection ends before the final reply: on the server's thread, where it must
    /// not block, or at once if it has ended already. A client ends a stream by closing its connection.
    public func onClose(_ handler: @escaping @Sendable (CloseReason) -> Void) {
        channel.onClose(of: number, handler)
    }

    /// Calls the handler once when the server begins to stop before the final reply: on the server's thread, where it
    /// must not block. The handler sees to it that the final reply comes soon.
    public func onStop(_ handler: @escaping @Sendable () -> Void) {
        channel.onStop(of: number, handler)
    }

    private func send(_ parameters: JSONObject, isBounded: Bool) -> Bool {
        guard call.more || call.oneway else {
            fail(.expectedMore)
            return false
        }
        return channel.reply(
            Reply(parameters, continues: true), to: number, isOneway: call.oneway, isBounded: isBounded)
    }
}
