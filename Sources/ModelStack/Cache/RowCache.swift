import Foundation
import StoreFormat
import Synchronization

/// The rows that this instance read last, up to a limit, by tree and key.
///
/// Two generations: when the young one is half of the limit, it becomes the old one, and what was old is dropped. A hit
/// in the old one moves the row to the young one.
final class RowCache: Sendable {
    private struct Entry {
        var row: StoredRow
        /// When the row was last given out, in seconds since 2001; 0 for never.
        var lastRead = 0.0
    }

    private struct Content {
        var young: [[Int64: Entry]]
        var old: [[Int64: Entry]]
        var youngCount = 0
        /// Counts invalidations: what was read before one is not put in after it.
        var generation: UInt64 = 0
        var statistics = CacheStatistics()
    }

    private let content: Mutex<Content>
    private let half: Int

    init(rootCount: Int, limit: Int) {
        half = max(1, limit / 2)
        content = Mutex(
            Content(
                young: Array(repeating: [:], count: rootCount), old: Array(repeating: [:], count: rootCount)))
    }

    /// To be taken before a read transaction begins.
    var generation: UInt64 { content.withLock { $0.generation } }

    var statistics: CacheStatistics {
        content.withLock { content in
            var statistics = content.statistics
            statistics.objects = content.young.reduce(0) { $0 + $1.count } + content.old.reduce(0) { $0 + $1.count }
            return statistics
        }
    }

    func row(_ root: Int, _ key: Int64) -> StoredRow? {
        content.withLock { content in
            let now = Date.timeIntervalSinceReferenceDate
            if let row = content.young[root][key]?.row {
                content.statistics.hits += 1
                content.young[root][key]?.lastRead = now
                return row
            }
            if let row = content.old[root].removeValue(forKey: key)?.row {
                content.statistics.hits += 1
                put(Entry(row: row, lastRead: now), &content)
                return row
            }
            content.statistics.misses += 1
            return nil
        }
    }

    private func put(_ entry: Entry, _ content: inout Content) {
        if content.youngCount >= half {
            content.old = content.young
            content.young = Array(repeating: [:], count: content.old.count)
            content.youngCount = 0
        }
        let row = entry.row
        if content.young[row.plan.root].updateValue(entry, forKey: row.key) == nil { content.youngCount += 1 }
    }

    /// Keeps rows that were read in a transaction begun at that generation.
    func insert(_ rows: some Sequence<StoredRow>, generation: UInt64) {
        content.withLock { content in
            guard content.generation == generation else { return }
            let count = min(half, rows.underestimatedCount)
            if count > 1_000, let root = rows.first(where: { _ in true })?.plan.root {
                content.young[root].reserveCapacity(content.young[root].count + count)
            }
            for row in rows { put(Entry(row: row), &content) }
        }
    }

    /// Takes what a save of this instance wrote, and forgets what it deleted.
    func replace(_ rows: [StoredRow], removing: [(root: Int, key: Int64)]) {
        content.withLock { content in
            content.generation += 1
            for (root, key) in removing { remove(root, key, &content) }
            for row in rows {
                content.old[row.plan.root][row.key] = nil
                put(Entry(row: row), &content)
            }
        }
    }

    /// - Parameter committed: when another instance changed the row, in seconds since 2001; nil for a change of our own.
    private func remove(_ root: Int, _ key: Int64, committed: Double? = nil, _ content: inout Content) {
        let young = content.young[root].removeValue(forKey: key)
        if young != nil { content.youngCount -= 1 }
        guard let entry = young ?? content.old[root].removeValue(forKey: key) else { return }
        content.statistics.invalidations += 1
        // Given out after somebody had changed it: what the reader got was stale.
        if let committed, entry.lastRead > committed { content.statistics.stale += 1 }
    }

    /// Forgets rows that others changed, with when they did.
    func invalidate(_ keys: some Sequence<(root: Int, key: Int64, committed: Double)>) {
        content.withLock { content in
            content.generation += 1
            for (root, key, committed) in keys { remove(root, key, committed: committed, &content) }
        }
    }

    /// Drops the trees with these indexes, or all.
    func drop(_ roots: Set<Int>?) {
        content.withLock { content in
            content.generation += 1
            for root in content.young.indices where roots?.contains(root) ?? true {
                content.statistics.invalidations += content.young[root].count + content.old[root].count
                content.youngCount -= content.young[root].count
                content.young[root] = [:]
                content.old[root] = [:]
            }
        }
    }
}
