import StoreFormat
import Synchronization

/// The rows that this instance read last, up to a limit, by tree and key.
///
/// Two generations: when the young one is half of the limit, it becomes the old one, and what was old is dropped. A hit
/// in the old one moves the row to the young one.
final class RowCache: Sendable {
    private struct Content {
        var young: [[Int64: StoredRow]]
        var old: [[Int64: StoredRow]]
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
            if let row = content.young[root][key] {
                content.statistics.hits += 1
                return row
            }
            if let row = content.old[root].removeValue(forKey: key) {
                content.statistics.hits += 1
                put(row, &content)
                return row
            }
            content.statistics.misses += 1
            return nil
        }
    }

    private func put(_ row: StoredRow, _ content: inout Content) {
        if content.youngCount >= half {
            content.old = content.young
            content.young = Array(repeating: [:], count: content.old.count)
            content.youngCount = 0
        }
        if content.young[row.plan.root].updateValue(row, forKey: row.key) == nil { content.youngCount += 1 }
    }

    /// Keeps rows that were read in a transaction begun at that generation.
    func insert(_ rows: some Sequence<StoredRow>, generation: UInt64) {
        content.withLock { content in
            guard content.generation == generation else { return }
            let count = min(half, rows.underestimatedCount)
            if count > 1_000, let root = rows.first(where: { _ in true })?.plan.root {
                content.young[root].reserveCapacity(content.young[root].count + count)
            }
            for row in rows { put(row, &content) }
        }
    }

    /// Takes what a save of this instance wrote, and forgets what it deleted.
    func replace(_ rows: [StoredRow], removing: [(root: Int, key: Int64)]) {
        content.withLock { content in
            content.generation += 1
            for (root, key) in removing { remove(root, key, &content) }
            for row in rows {
                content.old[row.plan.root][row.key] = nil
                put(row, &content)
            }
        }
    }

    private func remove(_ root: Int, _ key: Int64, _ content: inout Content) {
        if content.young[root].removeValue(forKey: key) != nil {
            content.youngCount -= 1
            content.statistics.invalidations += 1
        } else if content.old[root].removeValue(forKey: key) != nil {
            content.statistics.invalidations += 1
        }
    }

    func invalidate(_ keys: some Sequence<(root: Int, key: Int64)>) {
        content.withLock { content in
            content.generation += 1
            for (root, key) in keys { remove(root, key, &content) }
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

    /// Counts a read from the cache that turned out to be older than the database.
    func noteStale() {
        content.withLock { $0.statistics.stale += 1 }
    }
}
