import Foundation
import StoreFormat
import Synchronization

/// The rows that an instance has read, by table and key, up to a limit; the ones that were not used lately go first.
///
/// A row that was read before an invalidation is not taken in after it: a reader notes `generation` before it begins,
/// and hands it in with what it read.
final class RowCache: Sendable {
    private struct Entry {
        var row: Row?
        var root: Int
        var key: Int64
        var isRecent: Bool
        /// When the row was last given out, in seconds since 2001; tells stale reads when it is invalidated.
        var lastRead: Double
    }

    private struct State {
        /// The place of each row in `entries`, by root entity.
        var places: [KeyIndex]
        var entries: ContiguousArray<Entry> = []
        var free: [Int] = []
        var hand = 0
        var generation = 0
        var statistics = CacheStatistics()
    }

    let limit: Int
    private let state: Mutex<State>

    init(limit: Int, entityCount: Int) {
        self.limit = max(1, limit)
        state = Mutex(State(places: Array(repeating: KeyIndex(), count: entityCount)))
    }

    /// Changes with every invalidation.
    var generation: Int { state.withLock { $0.generation } }

    var statistics: CacheStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.objects = state.entries.count - state.free.count
            return statistics
        }
    }

    /// The cached row, counted as a hit or a miss.
    func row(root: Int, key: Int64) -> Row? {
        state.withLock { state in
            guard let place = state.places[root][key] else {
                state.statistics.misses += 1
                return nil
            }
            state.statistics.hits += 1
            state.entries[place].isRecent = true
            state.entries[place].lastRead = Date.timeIntervalSinceReferenceDate
            return state.entries[place].row
        }
    }

    /// Takes in rows that were read since `generation`; none if something was invalidated meanwhile.
    /// - Returns: whether they were taken in.
    @discardableResult
    func insert(_ rows: some Sequence<(root: Int, key: Int64, row: Row)>, generation: Int) -> Bool {
        state.withLock { state in
            guard state.generation == generation else { return false }
            for (root, key, row) in rows { Self.put(&state, limit, root, key, row) }
            return true
        }
    }

    /// Replaces rows by what a save wrote, and forgets those that it deleted. Counts as an invalidation for readers.
    /// - Parameter generation: the one before the commit. If something was invalidated since, somebody may have written
    ///   the same rows after this save: then they are forgotten, and read anew.
    func commit(_ rows: [(root: Int, key: Int64, row: Row?)], generation: Int) {
        state.withLock { state in
            let isCurrent = state.generation == generation
            state.generation += 1
            for (root, key, row) in rows {
                if let row, isCurrent {
                    Self.put(&state, limit, root, key, row)
                } else {
                    Self.remove(&state, root, key)
                }
            }
        }
    }

    /// Forgets one row.
    func remove(root: Int, key: Int64) {
        state.withLock { state in
            state.generation += 1
            Self.remove(&state, root, key)
        }
    }

    /// Forgets rows that another instance changed at `timestamp`.
    func invalidate(_ rows: [(root: Int, key: Int64, timestamp: Double)]) {
        let dropped = state.withLock { state in
            state.generation += 1
            var dropped: [Row?] = []
            var (hint, hinted) = (KeyIndex.Hint(), -1)
            for (root, key, timestamp) in rows {
                if root != hinted { (hint, hinted) = (KeyIndex.Hint(), root) }
                guard let place = state.places[root].remove(key, near: &hint) else { continue }
                state.statistics.invalidations += 1
                if state.entries[place].lastRead > timestamp { state.statistics.stale += 1 }
                // Moved, not copied: to count a reference is to touch a row that is in no processor's cache.
                dropped.append(nil)
                swap(&dropped[dropped.count - 1], &state.entries[place].row)
                state.free.append(place)
            }
            return dropped
        }
        ReleaseQueue.release(dropped)
    }

    /// Forgets all rows of these root entities; of all with nil.
    func removeAll(roots: Set<Int>?) {
        state.withLock { state in
            state.generation += 1
            for root in state.places.indices where roots?.contains(root) ?? true {
                state.statistics.invalidations += state.places[root].count
                let places = state.places[root]
                state.places[root] = KeyIndex()
                places.forEachPlace { place in
                    state.entries[place].row = nil
                    state.free.append(place)
                }
            }
        }
    }

    private static func put(_ state: inout State, _ limit: Int, _ root: Int, _ key: Int64, _ row: Row) {
        if let place = state.places[root][key] {
            state.entries[place].row = row
            return
        }
        let entry = Entry(row: row, root: root, key: key, isRecent: false, lastRead: 0)
        let place: Int
        if let free = state.free.popLast() {
            place = free
            state.entries[place] = entry
        } else if state.entries.count < limit {
            place = state.entries.count
            state.entries.append(entry)
        } else {
            place = evict(&state)
            state.entries[place] = entry
        }
        state.places[root][key] = place
    }

    /// The clock algorithm: passes over what was used since the last round, and takes the first that was not.
    private static func evict(_ state: inout State) -> Int {
        while true {
            let place = state.hand
            state.hand = (state.hand + 1) % state.entries.count
            if state.entries[place].isRecent {
                state.entries[place].isRecent = false
                continue
            }
            state.places[state.entries[place].root][state.entries[place].key] = nil
            return place
        }
    }

    private static func remove(_ state: inout State, _ root: Int, _ key: Int64) {
        guard let place = state.places[root].remove(key) else { return }
        state.entries[place].row = nil
        state.free.append(place)
    }
}
