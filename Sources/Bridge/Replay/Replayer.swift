import Dispatch
import Foundation
import SQLite
import StoreFormat
import Synchronization

/// Brings one stack up to history: reads transactions after its position in bounded batches and has the stack apply
/// them, in order, on a queue of its own.
final class Replayer: Sendable {
    let instance: any StackInstance
    private let readers: ConnectionPool
    private let queue: DispatchQueue
    private let condition = NSCondition()
    private let state: Mutex<State>
    private let report: @Sendable (ReplayEvent) -> Void

    /// Commits that wait to be applied at most; beyond, history is read.
    private static let waitingCommits = 64

    private struct State {
        var isScheduled = false
        var failure: StoreError?
        var resyncs = 0
        /// Runs that have begun and ended.
        var begun = 0
        var ended = 0
        /// Commits of this process that wait to be applied.
        var waiting = 0
        /// The position, once those who watch have been told of what leads to it.
        var told: Int64
        /// The last run that has looked at history.
        var seen = 0
        /// Where history ends now, after somebody put older content in the file.
        var rewound: Int64?
    }

    init(
        _ instance: any StackInstance, readers: ConnectionPool, report: @escaping @Sendable (ReplayEvent) -> Void
    ) {
        self.instance = instance
        self.readers = readers
        self.report = report
        state = Mutex(State(told: instance.position))
        queue = DispatchQueue(label: "org.coexistd.replay.\(instance.stack.rawValue)")
    }

    /// What a replay tells the bridge.
    enum ReplayEvent: Sendable {
        case applied(StackName, [HistoryTransaction])
        /// History after the position was purged: the caches were dropped once.
        case resynchronized(StackName, from: Int64, to: Int64)
        /// History went back: the caches were dropped once.
        case rewound(StackName)
        case failed(StackName, StoreError)
    }

    /// How many times history had been purged from under the position.
    var resyncs: Int { state.withLock(\.resyncs) }
    var failure: StoreError? { state.withLock(\.failure) }

    /// Says that there may be new history. Many signals make one replay.
    func signal() {
        let schedules = state.withLock { state in
            guard !state.isScheduled else { return false }
            state.isScheduled = true
            return true
        }
        if schedules { queue.async { self.run() } }
    }

    /// Says that history is another one than before, and ends at that number.
    func rewind(to number: Int64) {
        state.withLock { $0.rewound = number }
        signal()
    }

    /// Says that history has come to a number. The stack that wrote it may reflect it already.
    func signal(ifBehind number: Int64) {
        if instance.position < number { signal() }
    }

    /// Takes in a commit of this process: without reading it where its notice has it and nothing is missing before it.
    func take(_ notice: CommitNotice) {
        guard let transaction = notice.history else { return signal(ifBehind: notice.last) }
        let waits = state.withLock { state in
            guard state.waiting < Self.waitingCommits else { return false }
            state.waiting += 1
            return true
        }
        guard waits else { return signal(ifBehind: notice.last) }
        queue.async { self.apply(transaction) }
    }

    private func apply(_ transaction: HistoryTransaction) {
        state.withLock { $0.waiting -= 1 }
        let isPlain = state.withLock { $0.failure == nil && $0.rewound == nil }
        guard isPlain, instance.position == transaction.number &- 1 else {
            return signal(ifBehind: transaction.number)
        }
        do {
            try instance.apply([transaction], readsEpochs: false)
        } catch {
            return signal()
        }
        report(.applied(instance.stack, [transaction]))
        tell(nil)
    }

    /// Replays and waits until the position has reached the number, and everybody has been told of it.
    /// - Throws: `StoreError` `Busy` after the time, `Damaged` where history does not lead to the number, or what the replay
    ///   failed with.
    func reach(_ number: Int64, within seconds: Double = 30) throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        let run = state.withLock { state in
            state.failure = nil
            // The next run to begin sees everything that is committed now.
            return state.begun + 1
        }
        signal()
        // Not the condition's own deadline, which is a time of day: somebody may set the clock meanwhile.
        let alarm = DispatchWorkItem { [condition] in
            condition.lock()
            condition.broadcast()
            condition.unlock()
        }
        var isSet = false
        defer { alarm.cancel() }
        condition.lock()
        defer { condition.unlock() }
        while true {
            let (told, seen, ended, failure) = state.withLock { ($0.told, $0.seen, $0.ended, $0.failure) }
            // A position from before is no proof: history may have gone back behind it.
            if seen >= run, told >= number { return }
            if let failure { throw failure }
            guard ended < run else {
                throw StoreError(
                    .damaged, "history's counter is at \(number) or above, but no transaction after \(told) is there",
                    way: "`coexistctl verify` shows what is wrong with the store")
            }
            guard .now < deadline else {
                throw StoreError(
                    .busy, "the \(instance.stack.rawValue) stack is at transaction \(told), not yet at \(number)",
                    way: "try again")
            }
            if !isSet {
                isSet = true
                DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: alarm)
            }
            condition.wait()
        }
    }

    private func run() {
        let run = state.withLock { state in
            state.isScheduled = false
            state.begun += 1
            return state.begun
        }
        do {
            while try step() { tell(run) }
            tell(run)
            state.withLock { $0.failure = nil }
        } catch {
            let failure = (error as? StoreError) ?? StoreError(.damaged, "replay failed: \(error)")
            state.withLock { $0.failure = failure }
            report(.failed(instance.stack, failure))
        }
        state.withLock { $0.ended = run }
        tell(run)
    }

    private func tell(_ run: Int?) {
        condition.lock()
        state.withLock { state in
            state.told = instance.position
            state.seen = run ?? state.seen
        }
        condition.broadcast()
        condition.unlock()
    }

    /// One batch. Returns whether there may be more.
    private func step() throws -> Bool {
        let rewound = state.withLock { state in
            defer { state.rewound = nil }
            return state.rewound
        }
        let outcome =
            try rewound.map { try HistoryReplay.resynchronize(instance, from: instance.position, to: $0) }
            ?? readers.use { try HistoryReplay.step(instance, $0) }
        switch outcome {
        case .upToDate: return false
        case .applied(let transactions):
            report(.applied(instance.stack, transactions))
            return true
        case .resynchronized(let from, let to):
            state.withLock { $0.resyncs += 1 }
            if rewound == nil, from <= to {
                report(.resynchronized(instance.stack, from: from, to: to))
                return false
            }
            report(.rewound(instance.stack))
            // What was committed since is replayed.
            return rewound != nil
        }
    }
}
