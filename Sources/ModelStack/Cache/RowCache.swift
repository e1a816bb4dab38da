import Foundation
import StoreFormat
import Synchronization

/// The rows that this instance read last, up to a limit, by tree and key.
///
/// Two generations: when the young one is half of the limit, it becomes the old one, and what was old is dropped. A hit
/// in the old one makes the row young. Both are in one dictionary, so that an invalidation looks once.
final class RowCache: Sendable {
    private struct Entry {
        var row: StoredRow
        /// When the row was last given out, in seconds since 2001; 0 for never.
        var lastRead = 0.0
        /// The turn in which the row was put in, or given out last.
        var turn: Int
    }

    private struct Content {
        var entries: [[Int64: Entry]]
        /// How many were put in, or given out first, since the turn began.
        var youngCount = 0
        /// Entries of this turn are young, those of the one before old.
        var turn = 1
        /// Counts invalidations: what was read before one is not put in after it.
        var generation: UInt64 = 0
        var statistics = CacheStatistics()
    }

    private let content: Mutex<Content>
    private let half: Int

    init(rootCount: Int, limit: Int) {
        half = max(1, limit / 2)
        content = Mutex(Content(entries: Array(repeating: [:], count: rootCount)))
    }

    /// To be taken before a read transaction begins.
    var generation: UInt64 { content.withLock { $0.generation } }

    var statistics: CacheStatistics {
        content.withLock { content in
            var statistics = content.statistics
            statistics.objects = content.entries.reduce(0) { $0 + $1.count }
            return statistics
        }
    }

    func row(_ root: Int, _ key: Int64) -> StoredRow? {
        content.withLock { content in
            guard var entry = content.entries[root][key] else {
                content.statistics.misses += 1
                return nil
            }
            content.statistics.hits += 1
            let isYoung = entry.turn == content.turn
            entry.lastRead = Date.timeIntervalSinceReferenceDate
            entry.turn = content.turn
            content.entries[root][key] = entry
            if !isYoung { countYoung(&content) }
            return entry.row
        }
    }

    private func put(_ row: StoredRow, _ content: inout Content) {
        let entry = Entry(row: row, turn: content.turn)
        let former = content.entries[row.plan.root].updateValue(entry, forKey: row.key)
        if former?.turn != content.turn { countYoung(&content) }
    }

    private func countYoung(_ content: inout Content) {
        content.youngCount += 1
        guard content.youngCount >= half else { return }
        let ending = content.turn
        content.turn += 1
        content.youngCount = 0
        for root in content.entries.indices where !content.entries[root].isEmpty {
            content.entries[root] = content.entries[root].filter { $0.value.turn == ending }
        }
    }

    /// Keeps rows that were read in a transaction begun at that generation.
    func insert(_ rows: some Sequence<StoredRow>, generation: UInt64) {
        content.withLock { content in
            guard content.generation == generation else { return }
            let count = min(half, rows.underestimatedCount)
            if count > 1_000, let root = rows.first(where: { _ in true })?.plan.root {
                content.entries[root].reserveCapacity(content.entries[root].count + count)
            }
            for row in rows { put(row, &content) }
        }
    }

    /// Takes what a save of this instance wrote, and forgets what it deleted.
    func replace(_ rows: [StoredRow], removing: [(root: Int, key: Int64)]) {
        content.withLock { content in
            content.generation += 1
            for (root, key) in removing { _ = remove(root, key, &content) }
            for row in rows { put(row, &content) }
        }
    }

    /// - Parameter committed: when another instance changed the row, in seconds since 2001; nil for a change of our own.
    private func remove(
        _ root: Int, _ key: Int64, committed: Double? = nil, _ content: inout Content
    ) -> StoredRow? {
        guard let entry = content.entries[root].removeValue(forKey: key) else { return nil }
        if entry.turn == content.turn { content.youngCount -= 1 }
        content.statistics.invalidations += 1
        // Given out after somebody had changed it: what the reader got was stale.
        if let committed, entry.lastRead > committed { content.statistics.stale += 1 }
        return entry.row
    }

    /// Forgets rows that others changed.
    func invalidate(_ changes: [ObjectChange]) {
        let dropped = content.withLock { content in
            content.generation += 1
            var dropped: [StoredRow] = []
            for change in changes {
                if let row = remove(change.root, change.key, committed: change.committed, &content) {
                    dropped.append(row)
                }
            }
            return dropped
        }
        ReleaseQueue.release(dropped)
    }

    /// Drops the trees with these indexes, or all.
    func drop(_ roots: Set<Int>?) {
        content.withLock { content in
            content.generation += 1
            for root in content.entries.indices where roots?.contains(root) ?? true {
                content.statistics.invalidations += content.entries[root].count
                content.youngCount -= content.entries[root].count { $0.value.turn == content.turn }
                content.entries[root] = [:]
            }
        }
    }
}
