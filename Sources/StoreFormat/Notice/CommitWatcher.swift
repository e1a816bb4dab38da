import Foundation
import SQLite
import Synchronization

/// Notices commits at a store by whoever makes them, and tells those that history explains from those that it does not.
///
/// Instances of ours send a datagram after each commit. What a stranger writes raises an event of the log, before it is
/// visible, so the store is looked at again for a while; and once a second in any case.
public final class CommitWatcher: @unchecked Sendable {
    // Safe to share: `counts`, `listener` and `events` are used on the watcher's own thread only, which `start` makes and
    // `stop` joins; `wake` is two descriptors that do not change, and `thread` is behind a lock.
    private let counts: CommitCounts
    private let listener: NoticeListener?
    private let events: LogEvents?
    private let wake: (read: Int32, write: Int32)
    /// The watcher's thread, once it runs.
    private let thread = Mutex<pthread_t?>(nil)
    private let finished = DispatchSemaphore(value: 0)
    private let report: @Sendable (CommitCounts.Finding) -> Void
    private let afterLook: @Sendable () -> Void

    /// Milliseconds between looks where nothing told of a commit.
    private let poll: Int32
    /// Milliseconds until each look after an event of the log: the commit is visible after its sync. Before these there
    /// are five looks within 250 microseconds.
    private static let rechecks: [Int32] = Array(repeating: 1, count: 6) + Array(repeating: 10, count: 20)
    /// Milliseconds that a storm of events is left to gather after a look that found something.
    private static let rest: UInt32 = 1

    /// Opens a connection to watch with; events before `start` are found at the first look.
    /// - Parameters:
    ///   - poll: milliseconds between looks where nothing told of a commit.
    ///   - isDaemon: whether it watches for a daemon, which others then find by its socket.
    ///   - afterLook: called on the watcher's thread after every look, once a second at least.
    ///   - report: called on the watcher's thread, once for each look that found something.
    /// - Throws: `StoreError`.
    public init(
        store: Store, poll: Int32 = 1_000, isDaemon: Bool = false, afterLook: @escaping @Sendable () -> Void = {},
        report: @escaping @Sendable (CommitCounts.Finding) -> Void
    ) throws {
        counts = try CommitCounts(store: store)
        self.poll = poll
        listener = NoticeListener(storePath: store.path, isDaemon: isDaemon)
        self.afterLook = afterLook
        events = LogEvents(storePath: store.path)
        self.report = report
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw StoreError(
                .inputOutput, "no pipe can be made: \(String(cString: strerror(errno)))",
                way: "allow the process more open files")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wake = (ends[0], ends[1])
    }

    deinit {
        close(wake.read)
        close(wake.write)
    }

    /// Starts the watcher's thread.
    public func start() {
        let started = DispatchSemaphore(value: 0)
        let runner = Thread { [self] in
            thread.withLock { $0 = pthread_self() }
            started.signal()
            run()
            // Whoever waits for the end may take the store's lock next, and must find no daemon any more.
            listener?.close()
            finished.signal()
        }
        runner.name = "coexist-watcher"
        runner.start()
        started.wait()
    }

    /// Ends the watcher's thread, after the report that it may be making. Harmless where it does not run.
    public func stop() {
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let running else { return }
        var byte: UInt8 = 1
        _ = write(wake.write, &byte, 1)
        // A report may be the last to hold what stops the watcher.
        if pthread_equal(running, pthread_self()) == 0 { finished.wait() }
    }

    private func run() {
        var sources = [pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0)]
        sources.append(pollfd(fd: listener?.socket.descriptor ?? -1, events: Int16(POLLIN), revents: 0))
        sources.append(pollfd(fd: events?.descriptor ?? -1, events: Int16(POLLIN), revents: 0))
        // Which re-check comes next; past the last one there is nothing to wait for.
        var recheck = Self.rechecks.count
        look()
        afterLook()
        while true {
            let timeout = recheck < Self.rechecks.count ? Self.rechecks[recheck] : poll
            _ = Glibc.poll(&sources, nfds_t(sources.count), timeout)
            if sources[0].revents != 0 { return }
            let wasTold = (listener?.socket.drain() ?? 0) > 0
            let wasWritten = events?.drain() ?? false
            // Asked before the look: whose frames are there by now and are not committed has raised its event already, and
            // is waited for, whatever the look finds. Who writes later raises another.
            let isBeingWritten = counts.isBeingWritten
            let hasFound = wasWritten ? lookClosely() : look()
            if hasFound || wasTold && !wasWritten, !isBeingWritten {
                recheck = Self.rechecks.count
            } else if hasFound || wasWritten {
                recheck = 0
            } else if recheck < Self.rechecks.count {
                recheck += 1
            }
            afterLook()
        }
    }

    /// The looks right after an event.
    /// - Returns: whether one found something.
    private func lookClosely() -> Bool {
        for _ in 0..<5 {
            if look() { return true }
            usleep(50)
        }
        return look()
    }

    /// - Returns: whether there was something to report.
    @discardableResult
    private func look() -> Bool {
        guard let finding = counts.look() else { return false }
        report(finding)
        usleep(Self.rest * 1_000)
        return true
    }
}
