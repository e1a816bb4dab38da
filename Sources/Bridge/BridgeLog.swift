import Foundation
import StoreFormat
import Synchronization

/// What a bridge has to say, and how stale its caches were.
final class BridgeLog: Sendable {
    private struct State {
        var warnings: [String] = []
        var alarms: [String] = []
        var pending: [Int64: ContinuousClock.Instant] = [:]
        /// Transactions that were replayed before their commit was told: the watcher can be faster.
        var early: Set<Int64> = []
        var staleness = Percentiles()
        /// Durable readers that kept history from being purged at the last round.
        var holders: Set<String> = []
        var counts = BridgeCounts()
        var alarmHandler: (@Sendable (String) -> Void)?
        /// Administrative acts that nobody has been told of yet.
        var actions: [String] = []
        var actionHandler: (@Sendable (String) -> Void)?
        /// Stacks whose last replay failed: told once, however often it is tried again.
        var failing: Set<StackName> = []
        /// The last transaction that was told to be unreadable; both stacks meet it.
        var unreadable: Int64 = 0
    }

    private let state = Mutex(State())
    private let foreign = Mutex<AlarmPace<ForeignCommits>?>(nil)
    private let paces = Mutex<[RepeatedAlarm: AlarmPace<Repetition>]>([:])
    /// Old alarms go when there are more.
    private static let kept = 100

    var warnings: [String] { state.withLock(\.warnings) }
    var alarms: [String] { state.withLock(\.alarms) }
    var staleness: Percentiles { state.withLock(\.staleness) }
    var counts: BridgeCounts { state.withLock(\.counts) }

    func warn(_ text: String) {
        state.withLock { $0.warnings.append(text) }
    }

    func alarm(_ text: String) {
        let handler = state.withLock { state in
            state.counts.alarms += 1
            state.alarms.append(text)
            if state.alarms.count > Self.kept { state.alarms.removeFirst(state.alarms.count - Self.kept) }
            return state.alarmHandler
        }
        handler?(text)
    }

    /// Tells of an administrative act, or keeps it until there is somebody to be told.
    func tell(_ action: String) {
        let handler = state.withLock { state in
            if state.actionHandler == nil, state.actions.count < Self.kept { state.actions.append(action) }
            return state.actionHandler
        }
        handler?(action)
    }

    /// Sets who is told of administrative acts, and tells of those before.
    func setActionHandler(_ handler: (@Sendable (String) -> Void)?) {
        let waiting = state.withLock { state in
            state.actionHandler = handler
            guard handler != nil else { return [String]() }
            defer { state.actions = [] }
            return state.actions
        }
        for action in waiting { handler?(action) }
    }

    /// Sets who is told of alarms from now on.
    func setAlarmHandler(_ handler: (@Sendable (String) -> Void)?) {
        state.withLock { $0.alarmHandler = handler }
    }

    /// Counts commits that no history tells of, and raises an alarm for them, or one for many.
    /// - Parameter entities: those whose caches were dropped; nil for all.
    func untracked(_ commits: Int64, entities: Set<String>?) {
        state.withLock { $0.counts.untracked += Int(commits) }
        let pace = foreign.withLock { pace in
            let made =
                pace
                ?? AlarmPace(merge: { $0.adding($1) }, tell: { [weak self] in self?.alarm($0.text) })
            pace = made
            return made
        }
        pace.note(ForeignCommits(count: commits, entities: entities))
    }

    /// Counts and tells of what other programs wrote while no daemon ran, as the guard's notes have it.
    func untracked(_ notes: ForeignChanges.Notes) {
        state.withLock { $0.counts.untracked += 1 }
        alarm(notes.text)
    }

    /// Raises an alarm of a kind that can come often, or one for many.
    func alarm(_ kind: RepeatedAlarm, _ text: String) {
        let pace = paces.withLock { paces in
            let made =
                paces[kind]
                ?? AlarmPace(
                    merge: { Repetition(text: $1.text, times: $0.times + $1.times) },
                    tell: { [weak self] in self?.alarm($0.description) })
            paces[kind] = made
            return made
        }
        pace.note(Repetition(text: text, times: 1))
    }

    /// Raises the alarms that are waiting to be told with others.
    func finish() {
        foreign.withLock { $0 }?.finish()
        for pace in paces.withLock({ Array($0.values) }) { pace.finish() }
    }

    /// Raises an alarm for each reader that has come to keep history which would be purged.
    func note(holders: [String]) {
        let new = state.withLock { state in
            defer { state.holders = Set(holders) }
            return holders.filter { !state.holders.contains($0) }
        }
        for name in new { alarm("consumer \(name) keeps history that would be purged: it has not acknowledged it") }
    }

    /// Remembers when a commit of ours came, until the other stack has it.
    func committed(_ notice: CommitNotice) {
        state.withLock { state in
            state.counts.commits[notice.stack, default: 0] += 1
            if notice.forwarded != nil { state.counts.forwardedDeletes[notice.stack, default: 0] += 1 }
            if state.early.remove(notice.transaction) != nil {
                state.staleness.add(0)
            } else if state.pending.count < 10_000 {
                state.pending[notice.transaction] = .now
            }
        }
    }

    func note(_ event: Replayer.ReplayEvent) {
        switch event {
        case .applied(let stack, let transactions):
            state.withLock { state in
                state.failing.remove(stack)
                for transaction in transactions where transaction.writer?.stack != stack {
                    guard let start = state.pending.removeValue(forKey: transaction.number) else {
                        // Those of other processes are never told of, and must not pile up.
                        if state.early.count >= 1_000 { state.early.removeAll() }
                        state.early.insert(transaction.number)
                        continue
                    }
                    let (seconds, fraction) = (ContinuousClock.now - start).components
                    state.staleness.add(Double(seconds) + Double(fraction) / 1e18)
                }
            }
            for transaction in transactions { note(unreadable: transaction) }
        case .resynchronized(let stack, let from, let to):
            state.withLock { $0.counts.resyncs[stack, default: 0] += 1 }
            alarm(
                "history from \(from) to \(to) was purged before the \(stack.rawValue) stack had it: its cache was dropped"
            )
        case .rewound(let stack):
            state.withLock { state in
                state.counts.resyncs[stack, default: 0] += 1
                // These numbers are handed out again.
                state.pending = [:]
                state.early = []
                state.unreadable = 0
            }
        case .failed(let stack, let error):
            guard state.withLock({ $0.failing.insert(stack).inserted }) else { return }
            alarm("replay into the \(stack.rawValue) stack failed: \(error)")
        }
    }
}

extension BridgeLog {
    private func note(unreadable transaction: HistoryTransaction) {
        guard let why = transaction.unreadable else { return }
        let isNew = state.withLock { state in
            defer { state.unreadable = max(state.unreadable, transaction.number) }
            return transaction.number > state.unreadable
        }
        guard isNew else { return }
        alarm("transaction \(transaction.number) does not say what it changed: \(why). Every cache was dropped")
    }

    /// History went back under the daemon: what was replayed is no longer what is there.
    func rewound(from: Int64, to: Int64) {
        state.withLock { state in
            state.counts.rewinds += 1
            state.counts.untracked += 1
        }
        alarm(
            "another program put other content in the store: history ended at transaction \(from), and now it is another one "
                + "that ends at \(to). Every cache was dropped, and tokens from before are of what is lost")
    }
}

/// What happened since a bridge was opened.
public struct BridgeCounts: Sendable, Hashable {
    /// Commits of the bridge's own stacks.
    public var commits: [StackName: Int] = [:]
    /// Deletes of each stack whose rules reached the other stack's rows, and were carried out in its name.
    public var forwardedDeletes: [StackName: Int] = [:]
    /// Commits by other programs that no history tells of.
    public var untracked = 0
    /// Times that a stack dropped its cache, since history had been purged before it.
    public var resyncs: [StackName: Int] = [:]
    /// Times that another program put other content in the store, with another history.
    public var rewinds = 0
    /// Alarms, those included that are no longer kept.
    public var alarms = 0
}

/// The last thousand or so measurements of a duration, in seconds.
public struct Percentiles: Sendable, Hashable {
    private var values: [Double] = []
    private var next = 0
    /// How many measurements were ever taken, those that are no longer kept included.
    public private(set) var count = 0

    /// The sum of all measurements that were ever taken.
    public private(set) var sum = 0.0

    mutating func add(_ value: Double) {
        count += 1
        sum += value
        if values.count < 1_024 {
            values.append(value)
        } else {
            values[next] = value
            next = (next + 1) % values.count
        }
    }

    /// The value below which the share lies; nil without measurements.
    public func value(at share: Double) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }
}
