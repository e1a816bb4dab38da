import Foundation
import StoreFormat
import Synchronization

/// The rows that this instance read last, up to a limit, by tree and key.
///
/// Two generations: when the young one is half of the limit, it becomes the old one, and what was old is dropped. A hit
/// in the old one makes the row young.
final class RowCache: Sendable {
    private struct Entry {
        /// Nil in a place that is free.
        var row: StoredRow?
        /// When the row was last given out, in seconds since 2001; 0 for never.
        var lastRead = 0.0
        /// The turn in which the row was put in, or given out last.
        var turn: Int
    }

    private struct Content {
        /// The place of each row in `entries`, by tree.
        var places: [KeyIndex]
        var entries: ContiguousArray<Entry> = []
        var free: [Int] = []
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
        content = Mutex(Content(places: Array(repeating: KeyIndex(), count: rootCount)))
    }

    /// To be taken before a read transaction begins.
    var generation: UInt64 { content.withLock { $0.generation } }

    var statistics: CacheStatistics {
        content.withLock { content in
            var statistics = content.statistics
            statistics.objects = content.entries.count - content.free.count
            return statistics
        }
    }

    func row(_ root: Int, _ key: Int64) -> StoredRow? {
        content.withLock { content in
            guard let place = content.places[root][key] else {
                content.statistics.misses += 1
                return nil
            }
            content.statistics.hits += 1
            let row = content.entries[place].row
            let isYoung = content.entries[place].turn == content.turn
            content.entries[place].lastRead = Date.timeIntervalSinceReferenceDate
            content.entries[place].turn = content.turn
            if !isYoung { countYoung(&content) }
            return row
        }
    }

    private func put(_ row: StoredRow, _ content: inout Content) {
        let entry = Entry(row: row, turn: content.turn)
        if let place = content.places[row.plan.root][row.key] {
            let isYoung = content.entries[place].turn == content.turn
            content.entries[place] = entry
            if !isYoung { countYoung(&content) }
            return
        }
        if let place = content.free.popLast() {
            content.entries[place] = entry
            content.places[row.plan.root][row.key] = place
        } else {
            content.places[row.plan.root][row.key] = content.entries.count
            content.entries.append(entry)
        }
        countYoung(&content)
    }

    private func countYoung(_ content: inout Content) {
        content.youngCount += 1
        guard content.youngCount >= half else { return }
        for place in content.entries.indices where content.entries[place].turn < content.turn {
            guard let row = content.entries[place].row.take() else { continue }
            content.places[row.plan.root].remove(row.key)
            content.free.append(place)
        }
        content.turn += 1
        content.youngCount = 0
    }

    /// Keeps rows that were read in a transaction begun at that generation.
    func insert(_ rows: some Sequence<StoredRow>, generation: UInt64) {
        content.withLock { content in
            guard content.generation == generation else { return }
            for row in rows { put(row, &content) }
        }
    }

    /// Takes what a save of this instance wrote, and forgets what it deleted.
    /// - Parameter generation: the one before the commit. If something was invalidated since, somebody may have written
    ///   the same rows after this save: then they are forgotten too, and read anew.
    func replace(_ rows: [StoredRow], removing: [(root: Int, key: Int64)], generation: UInt64) {
        content.withLock { content in
            let isCurrent = content.generation == generation
            content.generation += 1
            for (root, key) in removing { remove(root, key, &content) }
            for row in rows {
                if isCurrent { put(row, &content) } else { remove(row.plan.root, row.key, &content) }
            }
        }
    }

    /// Forgets one row.
    func remove(root: Int, key: Int64) {
        content.withLock { content in
            content.generation += 1
            remove(root, key, &content)
        }
    }

    private func remove(_ root: Int, _ key: Int64, _ content: inout Content) {
        var hint = KeyIndex.Hint()
        guard let place = free(root, key, near: &hint, committed: nil, &content) else { return }
        content.entries[place].row = nil
    }

    /// Frees a row's place, and leaves it to the caller to take the row out.
    /// - Parameter committed: when another instance changed the row, in seconds since 2001; nil for a change of our own.
    private func free(
        _ root: Int, _ key: Int64, near hint: inout KeyIndex.Hint, committed: Double?, _ content: inout Content
    ) -> Int? {
        guard let place = content.places[root].remove(key, near: &hint) else { return nil }
        content.free.append(place)
        if content.entries[place].turn == content.turn { content.youngCount -= 1 }
        content.statistics.invalidations += 1
        // Given out after somebody had changed it: what the reader got was stale.
        if let committed, content.entries[place].lastRead > committed { content.statistics.stale += 1 }
        return place
    }

    /// A row that another instance changed, and when, in seconds since 2001.
    typealias Outdated = (root: Int, key: Int64, committed: Double)

    /// Forgets rows that others changed.
    func invalidate(_ rows: [Outdated]) {
        let dropped = content.withLock { content in
            content.generation += 1
            var dropped: [StoredRow?] = []
            var (hint, hinted) = (KeyIndex.Hint(), -1)
            for (root, key, committed) in rows {
                if root != hinted { (hint, hinted) = (KeyIndex.Hint(), root) }
                guard let place = free(root, key, near: &hint, committed: committed, &content) else { continue }
                // Moved, not copied: to count a reference is to touch a row that is in no processor's cache.
                dropped.append(nil)
                swap(&dropped[dropped.count - 1], &content.entries[place].row)
            }
            return dropped
        }
        ReleaseQueue.release(dropped)
    }

    /// Drops the trees with these indexes, or all.
    func drop(_ roots: Set<Int>?) {
        content.withLock { content in
            content.generation += 1
            for root in content.places.indices where roots?.contains(root) ?? true {
                let places = content.places[root]
                content.places[root] = KeyIndex()
                content.statistics.invalidations += places.count
                places.forEachPlace { place in
                    content.entries[place].row = nil
                    content.free.append(place)
                    if content.entries[place].turn == content.turn { content.youngCount -= 1 }
                }
            }
        }
    }
}
