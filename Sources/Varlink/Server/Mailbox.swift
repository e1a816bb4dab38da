import CEpoll
import Glibc
import Synchronization

/// What other threads tell the loop's thread; an eventfd wakes it.
final class Mailbox: Sendable {
    enum Message: Sendable {
        /// A connection has output, has finished its call, or is to be closed.
        case attention(UInt64)
        /// To be run on the loop's thread.
        case run(@Sendable () -> Void)
        /// To stop by that time.
        case stop(deadline: Duration, farewell: Server.Farewell?)
    }

    private struct State {
        var messages: [Message] = []
        var isClosed = false
    }

    /// Readable when there are messages.
    let descriptor: Int32
    private let state = Mutex(State())

    init() throws(SystemError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw SystemError("eventfd", code: errno) }
    }

    /// Leaves a message.
    /// - Returns: false if the loop has ended.
    @discardableResult
    func post(_ message: Message) -> Bool {
        let (isFirst, isClosed) = state.withLock { state in
            guard !state.isClosed else { return (false, true) }
            state.messages.append(message)
            return (state.messages.count == 1, false)
        }
        // Later messages find the loop woken already.
        if isFirst { _ = eventfd_write(descriptor, 1) }
        return !isClosed
    }

    /// Takes all messages.
    func take() -> [Message] {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor, &count)
        return state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Takes the last messages and accepts no more.
    func finish() -> [Message] {
        state.withLock { state in
            state.isClosed = true
            defer { state.messages = [] }
            return state.messages
        }
    }

    deinit {
        close(descriptor)
    }
}
