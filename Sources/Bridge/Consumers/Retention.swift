import Foundation
import StoreFormat
import Synchronization

/// How long history is kept.
public struct RetentionPolicy: Sendable, Hashable {
    /// Seconds that a transaction is kept; nil for ever.
    public var seconds: Int?
    /// How many transactions are kept at most; nil for no limit.
    public var transactions: Int?
    /// Whether a durable reader that is behind is given up, instead of keeping history for it.
    public var expiresConsumers: Bool

    /// Keeps everything, where nothing else is said.
    public init(seconds: Int? = nil, transactions: Int? = nil, expiresConsumers: Bool = false) {
        self.seconds = seconds
        self.transactions = transactions
        self.expiresConsumers = expiresConsumers
    }

    var isLimited: Bool { seconds != nil || transactions != nil }
}

/// Purges history that is older or more than a policy allows: at the start and once a minute, and where their number is
/// limited also a second after transactions came.
final class RetentionKeeper: Sendable {
    private let policy: RetentionPolicy
    private let clock = SteadyClock()
    private let atStart = Mutex<Start?>(nil)
    private let queue = DispatchQueue(label: "org.coexistd.retention")
    private let isStopped = Mutex(false)
    private let hasFailed = Mutex(false)
    private let isDue = Mutex(false)
    private let bridge: @Sendable () -> StoreBridge?

    /// How history was found at the start.
    private struct Start {
        /// The newest transaction.
        var last: Int64
        /// By how many seconds the clock was ahead of it.
        var lag: Double
    }

    /// - Parameter bridge: asked for at each round; nil ends the rounds.
    init(_ policy: RetentionPolicy, bridge: @escaping @Sendable () -> StoreBridge?) {
        self.policy = policy
        self.bridge = bridge
    }

    func start() {
        queue.async { [self] in round() }
    }

    /// To be called when there may be more to purge: transactions came, or a durable reader has gone on.
    func nudge() {
        guard policy.transactions != nil,
            isDue.withLock({ due in
                defer { due = true }
                return !due
            })
        else { return }
        queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            guard let self else { return }
            isDue.withLock { $0 = false }
            runOnce()
        }
    }

    /// Waits for a round that is running; none comes after.
    func stop() {
        isStopped.withLock { $0 = true }
        queue.sync {}
    }

    private func round() {
        guard runOnce() else { return }
        queue.asyncAfter(deadline: .now() + .seconds(60)) { [weak self] in self?.round() }
    }

    /// Returns whether rounds go on.
    @discardableResult
    private func runOnce() -> Bool {
        guard !isStopped.withLock({ $0 }), let bridge = bridge() else { return false }
        if bridge.problem == nil { run(bridge) }
        return true
    }

    /// What time it is for the oldest transaction that is there. A machine may have started with a clock that is years ahead,
    /// or stood for years: nothing tells the one from the other. So transactions from before the start grow old only while
    /// somebody is there to read them, from the time of the newest one on.
    private func now(_ bridge: StoreBridge) throws -> Date {
        let start = try atStart.withLock { known in
            if let known { return known }
            let now = clock.now.timeIntervalSinceReferenceDate
            let newest = try bridge.read { connection in
                try connection.query("SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION ORDER BY Z_PK DESC LIMIT 1").first
            }
            let found = Start(
                last: newest?[0].integerValue ?? 0, lag: max(0, now - (newest?[1].doubleValue ?? now)))
            known = found
            return found
        }
        let isFromBefore = try bridge.extent().first.map { $0 <= start.last } ?? false
        return isFromBefore ? clock.now - start.lag : clock.now
    }

    private func run(_ bridge: StoreBridge) {
        do {
            var bounds: [HistoryPurge.Bound] = []
            if let seconds = policy.seconds { bounds.append(.before(try now(bridge) - Double(seconds))) }
            if let count = policy.transactions { bounds.append(.keeping(Int64(count))) }
            for bound in bounds {
                if policy.expiresConsumers { try bridge.expireConsumers(inTheWayOf: bound) }
                let result = try bridge.prune(bound, user: "the configuration's history limits")
                bridge.noteHolders(result.holders)
            }
            hasFailed.withLock { $0 = false }
        } catch {
            // Once, and not every minute.
            let isNew = hasFailed.withLock { failed in
                defer { failed = true }
                return !failed
            }
            if isNew { bridge.alarm("history could not be purged, which is tried again every minute: \(error)") }
        }
    }
}

/// The time of day as it was when the clock was made, plus what has passed since: somebody who sets the system's clock
/// does not move it, and so does not have history purged.
struct SteadyClock: Sendable {
    private let start = Date()
    private let startTicks = Self.ticks

    /// Seconds since the system started, with the time that it slept.
    private static var ticks: Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    var now: Date { start.addingTimeInterval(Self.ticks - startTicks) }
}
