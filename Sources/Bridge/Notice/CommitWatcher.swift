import Foundation
import SQLite
import StoreFormat
import Synchronization

/// Notices commits by other processes, and tells those that history explains from those that it does not.
///
/// Every commit adds 1 to the WAL index's change count; every commit of ours adds 1 to `COEXIST_STATE.COMMITS` in the
/// same transaction, and a foreign tracked one brings a history transaction without a writer of ours. What the count
/// grew beyond these is a write that no history tells of.
final class CommitWatcher: @unchecked Sendable {
    // Safe to share: `connection` and `baseline` are used on the watcher's own thread only, which `start` makes and
    // `stop` joins; `isStopped` is behind a lock.
    private let connection: Connection
    private var baseline: Baseline
    private let isStopped = Mutex(false)
    private let finished = DispatchSemaphore(value: 0)
    private let report: @Sendable (Notice) -> Void
    /// How often the count is looked at, in microseconds: a read of shared memory, without a system call.
    private let interval: UInt32 = 2_000

    /// What changed since the last look.
    enum Notice: Sendable {
        /// Commits, all of which are ours or in history.
        case committed
        /// Commits that no history tells of.
        case untracked(Int64)
        /// The count went back: the WAL index was rebuilt.
        case restarted
        case failed(StoreError)
    }

    private struct Baseline {
        var change: UInt32
        var commits: Int64
        /// The last history transaction.
        var last: Int64
        /// Transactions since the baseline before that no instance of ours wrote.
        var foreign: Int64
    }

    init(store: Store, report: @escaping @Sendable (Notice) -> Void) throws {
        connection = try StoreConnector.connect(store.path, .reader)
        self.report = report
        baseline = Baseline(change: 0, commits: 0, last: 0, foreign: 0)
        while true {
            guard let first = try Self.read(connection, after: .max) else { continue }
            baseline = first
            break
        }
    }

    func start() {
        let thread = Thread { [self] in
            while !isStopped.withLock({ $0 }) {
                look()
                usleep(interval)
            }
            finished.signal()
        }
        thread.name = "coexist-watcher"
        thread.start()
    }

    func stop() {
        isStopped.withLock { $0 = true }
        finished.wait()
    }

    private func look() {
        do {
            guard try connection.walChangeCount() ?? 0 != baseline.change else { return }
            guard let now = try Self.read(connection, after: baseline.last) else { return }
            let before = baseline
            baseline = now
            if now.change < before.change {
                report(.restarted)
                return
            }
            let grown = Int64(now.change - before.change)
            let explained = now.commits - before.commits + now.foreign
            report(grown > explained ? .untracked(grown - explained) : .committed)
        } catch let error as SQLiteError where error.isBusy {
            return
        } catch {
            let failure = (error as? SQLiteError).map { StoreError($0, path: connection.path) }
            report(.failed(failure ?? StoreError(.inputOutput, "\(error)")))
        }
    }

    /// The counts as of one snapshot; nil if commits came too fast to tell. The WAL index's count is read outside the
    /// snapshot, so it must be the same before and after.
    private static func read(_ connection: Connection, after number: Int64) throws -> Baseline? {
        let before = try connection.walChangeCount() ?? 0
        let baseline = try connection.transaction(.deferred) {
            let commits = try connection.scalar("SELECT COMMITS FROM COEXIST_STATE")?.integerValue ?? 0
            let last = try connection.scalar("SELECT max(Z_PK) FROM ATRANSACTION")?.integerValue ?? 0
            let foreign =
                try connection.scalar(
                    """
                    SELECT count(*) FROM ATRANSACTION t WHERE t.Z_PK > ?
                        AND NOT EXISTS (SELECT 1 FROM COEXIST_TRANSACTION w WHERE w.NUMBER = t.Z_PK)
                    """, [.integer(number)])?.integerValue ?? 0
            return Baseline(
                change: try connection.walChangeCount() ?? 0, commits: commits, last: last, foreign: foreign)
        }
        let after = try connection.walChangeCount() ?? 0
        return baseline.change == before && after == before ? baseline : nil
    }
}
