import Synchronization

/// How long a reader may keep its snapshot. While one does, the log cannot be moved into the database past it, and grows
/// with every commit; so those that are older are ended when somebody commits.
///
/// A reader that is ended gets `SQLITE_INTERRUPT` from the statement that it runs, or from the next one that it begins.
public final class ReaderAge: Sendable, Hashable {
    final class Lease: Sendable {
        let start: ContinuousClock.Instant
        let interrupt: Connection.Interrupter
        let isOver = Atomic<Bool>(false)

        init(start: ContinuousClock.Instant, interrupt: Connection.Interrupter) {
            self.start = start
            self.interrupt = interrupt
        }
    }

    private struct State {
        var leases: [ObjectIdentifier: Lease] = [:]
        var ended = 0
        var handler: (@Sendable (Duration) -> Void)?
    }

    /// The age above which a reader is ended.
    public let maximum: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// A limit; `now` is the clock, for tests.
    public init(maximum: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.maximum = maximum
        self.now = now
    }

    /// How many readers have been ended.
    public var ended: Int { state.withLock(\.ended) }

    /// The age of the oldest reader that is at work; nil without one.
    public var oldest: Duration? {
        let now = now()
        return state.withLock { state in state.leases.values.map { now - $0.start }.max() }
    }

    /// Sets who is told of each reader that is ended, with its age.
    public func setHandler(_ handler: (@Sendable (Duration) -> Void)?) {
        state.withLock { $0.handler = handler }
    }

    /// Ends the readers that are too old: to be called after each commit.
    public func look() {
        let now = now()
        let (ages, handler) = state.withLock { state in
            var ages: [Duration] = []
            // Under the lock a reader's connection is not given back, and so still there to be interrupted.
            for lease in state.leases.values where now - lease.start > maximum {
                guard !lease.isOver.exchange(true, ordering: .relaxed) else { continue }
                lease.interrupt()
                ages.append(now - lease.start)
            }
            state.ended += ages.count
            return (ages, state.handler)
        }
        for age in ages { handler?(age) }
    }

    func begin(_ connection: Connection) {
        let lease = Lease(start: now(), interrupt: connection.interrupter)
        connection.lease = lease
        state.withLock { $0.leases[ObjectIdentifier(lease)] = lease }
    }

    func end(_ connection: Connection) {
        guard let lease = connection.lease else { return }
        connection.lease = nil
        state.withLock { $0.leases[ObjectIdentifier(lease)] = nil }
    }

    /// Limits are equal only to themselves.
    public static func == (a: ReaderAge, b: ReaderAge) -> Bool { a === b }
    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
