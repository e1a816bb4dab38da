/// A connection, as the loop's thread alone knows it.
final class Connection {
    let channel: Channel
    /// The socket; -1 once it is closed.
    var descriptor: Int32
    var input: MessageBuffer
    /// Calls that were read and wait for their turn.
    var pending: ArraySlice<Call> = []
    /// Whether a call is being answered, and whether it may be a stream.
    var isActive = false
    var isStream = false
    /// Why nothing more is read: the calls before the fault are answered, then the client is told, and the connection
    /// closed.
    var fault: MessageError?
    /// Whether the client was told of the fault.
    var isTold = false
    /// Whether the client has closed its side for writing.
    var hasInputEnded = false
    /// Output that was taken over from the channel, and how much of it was sent.
    var output: [UInt8] = []
    var outputOffset = 0
    /// Whether the socket takes no more output for now.
    var isBlocked = false
    /// The events that the poller watches for.
    var events = Poller.input

    var messageDeadline: MonotonicTime?
    var stallDeadline: MonotonicTime?
    var idleDeadline: MonotonicTime?

    init(_ channel: Channel, descriptor: Int32, maximumMessageBytes: Int) {
        self.channel = channel
        self.descriptor = descriptor
        self.input = MessageBuffer(maximumMessageBytes: maximumMessageBytes)
    }

    var isGone: Bool { descriptor < 0 }

    var hasOutput: Bool { outputOffset < output.count }

    /// The next moment at which something is overdue.
    var deadline: MonotonicTime {
        min(messageDeadline ?? .distantFuture, stallDeadline ?? .distantFuture, idleDeadline ?? .distantFuture)
    }
}
