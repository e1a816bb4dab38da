import Foundation
import Synchronization

/// Waits for the signals that end or reload the daemon.
///
/// Made on the main thread before any other, so that all threads inherit the blocked set and a signal comes to `wait`
/// alone.
public final class SignalWaiter: Sendable {
    /// What a signal asks of the daemon: SIGHUP to reload, SIGTERM and SIGINT to end.
    public enum Event: Sendable {
        case terminate
        case reload
    }

    private let ending = Mutex(false)

    /// Blocks SIGTERM, SIGINT and SIGHUP for this thread and those it starts, and ignores SIGPIPE and SIGXFSZ.
    public init() {
        var set = Self.set
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // A peer that is gone and a file size limit are errors of a call, not ends of the process.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, number) }
        return set
    }

    /// Whether the end has been asked for.
    var isEnding: Bool { ending.withLock { $0 } }

    /// Waits for the next signal.
    public func wait() -> Event {
        var set = Self.set
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
        if number == SIGHUP { return .reload }
        ending.withLock { $0 = true }
        return .terminate
    }

    /// Has `wait` return, as a signal from outside would.
    func raise(_ event: Event) {
        kill(getpid(), event == .reload ? SIGHUP : SIGTERM)
    }
}
