import CEpoll
import Glibc

/// Opens once and stays open; any number of threads can wait for that.
final class Latch: Sendable {
    private let descriptor: Int32

    init() throws(SystemError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw SystemError("eventfd", code: errno) }
    }

    func open() {
        _ = eventfd_write(descriptor, 1)
    }

    /// Waits until the latch is open.
    /// - Returns: whether it was within the time; nil waits for ever.
    func wait(within duration: Duration? = nil) -> Bool {
        let deadline = duration.map { MonotonicTime.now + $0 } ?? .distantFuture
        while true {
            // The counter is never read, so the descriptor stays readable for every waiter.
            var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&poller, 1, deadline.pollTimeout(from: .now))
            if count > 0 { return true }
            if count == 0, deadline <= .now { return false }
            if count < 0, errno != EINTR { return false }
        }
    }

    deinit {
        close(descriptor)
    }
}
