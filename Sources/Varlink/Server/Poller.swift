import CEpoll
import Glibc

/// An epoll instance.
struct Poller: Sendable {
    static let input = EPOLLIN.rawValue
    static let output = EPOLLOUT.rawValue
    /// The peer has gone altogether. Reported whether asked for or not.
    static let hangUp = EPOLLHUP.rawValue | EPOLLERR.rawValue

    let descriptor: Int32

    init() throws(SystemError) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw SystemError("epoll_create1", code: errno) }
    }

    /// Watches a descriptor for these events (level-triggered).
    @discardableResult
    func add(_ watched: Int32, _ events: UInt32, token: UInt64) -> Bool {
        control(EPOLL_CTL_ADD, watched, events, token)
    }

    /// Changes the events that a descriptor is watched for.
    func modify(_ watched: Int32, _ events: UInt32, token: UInt64) {
        _ = control(EPOLL_CTL_MOD, watched, events, token)
    }

    /// Watches a descriptor no longer.
    func remove(_ watched: Int32) {
        _ = control(EPOLL_CTL_DEL, watched, 0, 0)
    }

    private func control(_ operation: Int32, _ watched: Int32, _ events: UInt32, _ token: UInt64) -> Bool {
        var event = epoll_event()
        event.events = events
        event.data.u64 = token
        return epoll_ctl(descriptor, operation, watched, &event) == 0
    }

    /// Waits for events.
    /// - Returns: how many there are; 0 after the timeout or a signal.
    func wait(_ events: inout [epoll_event], timeout: Int32) -> Int {
        max(0, Int(epoll_wait(descriptor, &events, Int32(events.count), timeout)))
    }

    func close() {
        _ = Glibc.close(descriptor)
    }
}
