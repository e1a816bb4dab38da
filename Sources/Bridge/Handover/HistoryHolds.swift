import StoreFormat
import Synchronization

/// History that must stay for as long as something in this process works from it, as durable readers hold it by an entry in
/// the store. Programs that purge by themselves do not know of it.
final class HistoryHolds: Sendable {
    private let held = Mutex<[Int: Int64]>([:])

    /// The last transaction that may go; `Int64.max` where nothing is held.
    var limit: Int64 { held.withLock { $0.values.min() ?? .max } }

    /// Runs the body; what comes after the newest transaction stays meanwhile.
    /// - Parameter newest: asked when everything is held already: a purge that was planned before does not go further.
    func hold<T>(_ newest: () throws -> Int64, _ body: () throws -> T) throws -> T {
        let id = held.withLock { held in
            let id = (held.keys.max() ?? 0) + 1
            held[id] = 0
            return id
        }
        defer { held.withLock { $0[id] = nil } }
        let number = try newest()
        held.withLock { $0[id] = number }
        return try body()
    }
}
