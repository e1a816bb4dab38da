import SQLite

/// Tells commits that history explains from those that it does not.
///
/// Every commit adds 1 to the WAL index's change count; every commit of ours adds 1 to `COEXIST_STATE.COMMITS` in the
/// same transaction, and a foreign tracked one brings a history transaction without a writer of ours. What the count
/// grew beyond these is a write that no history tells of. A store that has not been adopted keeps no count of ours: there
/// each commit has to bring a transaction. One with a rollback journal has no count of commits either: there any change
/// has to bring one.
///
/// Belongs to the thread that uses it.
public final class CommitCounts {
    private let connection: Connection
    private let store: Store
    private var baseline: Baseline
    private var place: StorePlace
    /// Set when the store's files were found to have gone: that is told once.
    private var isLost = false

    /// What changed since the last look.
    public enum Finding: Sendable {
        /// Commits, all of which are ours or in history.
        case committed(News)
        /// Commits that no history tells of.
        case untracked(Int64)
        /// The count went back: the WAL index was rebuilt.
        case restarted
        /// History is another one than at the look before, and ends at that number: somebody put other content, such as an
        /// older backup, in the file.
        case rewound(from: Int64, to: Int64)
        /// The store cannot be read, or its files are no longer at their path (`StoreReplaced`).
        case failed(StoreError)
    }

    /// What a look found that an instance may have to take in.
    public struct News: Sendable, Hashable {
        /// The last history transaction.
        public var last: Int64
        /// The last one at the look before.
        public var previous: Int64
        /// Whether an entity changed hands since the look before.
        public var hasHandover: Bool
        /// Whether a transaction came that no instance of ours wrote.
        public var hasForeign: Bool
    }

    private struct Baseline {
        var change: Change
        /// Nil where the store has not been adopted.
        var commits: Int64?
        /// The last history transaction's number; nil where there is no history.
        var last: Int64?
        /// When the transaction of the look before's last number was committed; nil where it is gone.
        var previousEnd: Double?
        /// When the last one was.
        var end: Double?
        /// The last handover's record; 0 for none.
        var handover: Int64
        /// Transactions since the baseline before that no instance of ours wrote.
        var foreign: Int64
    }

    /// What grows with every commit.
    private enum Change: Equatable {
        case log(UInt32)
        /// A rollback journal: a number that changes with the commits of others.
        case journal(Int64)

        /// How many commits came since; nil where that cannot be told, below zero where the count began anew.
        func grown(since before: Change) -> Int64? {
            guard case .log(let now) = self, case .log(let then) = before else { return nil }
            return Int64(now) - Int64(then)
        }
    }

    /// Counts from now on.
    /// - Throws: `StoreError`.
    public init(store: Store) throws {
        connection = try StoreConnector.connect(store.path, .reader)
        self.store = store
        place = StorePlace(store.path)
        baseline = Baseline(change: .log(0), commits: nil, last: nil, handover: 0, foreign: 0)
        try StoreConnector.translating(store.path) {
            while true {
                guard let first = try read(after: .max) else { continue }
                baseline = first
                return
            }
        }
    }

    /// Compares with the last look. A read of shared memory, where nothing was committed.
    /// - Returns: what changed; nil if nothing did, or commits come too fast to tell: look again.
    public func look() -> Finding? {
        let finding = compare()
        switch finding {
        case .untracked, .restarted, .rewound: try? StoreHealth.checkParts(of: store, connection)
        case .committed, .failed, nil: break
        }
        return finding
    }

    /// Whether somebody is committing right now, as far as the log shows.
    var isBeingWritten: Bool { (try? connection.hasUncommittedFrames()) ?? false }

    private func compare() -> Finding? {
        do {
            guard !isLost else { return nil }
            try place.check(connection, store: store)
            guard try change() != baseline.change, let now = try read(after: baseline.last ?? 0) else { return nil }
            let before = baseline
            baseline = now
            let grown = now.change.grown(since: before.change) ?? 1
            if isOther(now, before) { return .rewound(from: before.last ?? 0, to: now.last ?? 0) }
            if grown < 0 { return .restarted }
            // Where the store was adopted, released or given history meanwhile, the counts do not compare.
            guard (now.commits == nil) == (before.commits == nil), (now.last == nil) == (before.last == nil) else {
                return .untracked(grown)
            }
            // The file may say anything, so the sum may wrap.
            let explained = (now.commits ?? 0) &- (before.commits ?? 0) &+ now.foreign
            if grown > explained { return .untracked(grown &- explained) }
            return .committed(
                News(
                    last: now.last ?? 0, previous: before.last ?? 0, hasHandover: now.handover != before.handover,
                    hasForeign: now.foreign > 0))
        } catch let error as SQLiteError where error.isBusy {
            return nil
        } catch let error as StoreError {
            isLost = error.code == .storeReplaced
            if isLost, place.isLogOrphaned(connection) { _ = try? connection.checkpoint(.full) }
            return .failed(error)
        } catch {
            let failure = (error as? SQLiteError).map { StoreError($0, path: connection.path) }
            return .failed(failure ?? StoreError(.inputOutput, "\(error)"))
        }
    }

    /// Numbers and the count of our commits only rise, and a transaction stays as it is until it is purged.
    private func isOther(_ now: Baseline, _ before: Baseline) -> Bool {
        guard let last = now.last, let past = before.last else { return false }
        if let commits = now.commits, let counted = before.commits, commits < counted { return true }
        guard last >= past else { return true }
        guard let end = now.previousEnd, let known = before.end else { return false }
        return end != known
    }

    private func change() throws -> Change {
        if let count = try connection.walChangeCount() { return .log(count) }
        return .journal(try connection.dataVersion())
    }

    /// The counts as of one snapshot; nil if commits came too fast to tell. The WAL index's count is read outside the
    /// snapshot, so it must be the same before and after.
    private func read(after number: Int64) throws -> Baseline? {
        let before = try change()
        let baseline = try connection.transaction(.deferred) {
            let isAdopted = try CoexistenceTables.exist(connection)
            let commits = try isAdopted ? connection.scalar("SELECT COMMITS FROM COEXIST_STATE")?.integerValue : nil
            let handover =
                try isAdopted ? connection.scalar("SELECT max(rowid) FROM COEXIST_HANDOVER")?.integerValue : nil
            var (last, foreign): (Int64?, Int64) = (nil, 0)
            var ends: [Double?] = [nil, nil]
            if try HistoryTables.exist(connection) {
                // After a purge of everything the catalogue's counter alone has it.
                let end = try HistoryReader(connection, store: store).last()
                last = end
                ends = try [number, end].map {
                    try connection.scalar("SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = ?", [.integer($0)])?
                        .doubleValue
                }
                let written =
                    isAdopted
                    ? "AND NOT EXISTS (SELECT 1 FROM COEXIST_TRANSACTION w WHERE w.NUMBER = t.Z_PK)" : ""
                foreign =
                    try connection.scalar(
                        "SELECT count(*) FROM ATRANSACTION t WHERE t.Z_PK > ? \(written)", [.integer(number)]
                    )?.integerValue ?? 0
            }
            return Baseline(
                change: try change(), commits: commits, last: last, previousEnd: ends[0], end: ends[1],
                handover: handover ?? 0, foreign: foreign)
        }
        return try baseline.change == before && change() == before ? baseline : nil
    }
}
