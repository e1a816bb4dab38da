import SQLite
import StoreFormat
import Synchronization

/// Keeps the guard's triggers in place while a bridge is open: somebody may drop them, which no history tells of.
final class GuardKeeper: Sendable {
    private struct State {
        var mode: GuardMode
        /// Whether the last attempt failed: it is made again.
        var isDue = false
    }

    private let storePath: String
    private let connections: ConnectionPool?
    private let alarm: @Sendable (String) -> Void
    private let state: Mutex<State>

    /// - Parameter connections: of one that writes; nil for a store that is open read-only, whose guard is left alone.
    init(
        _ mode: GuardMode, storePath: String, connections: ConnectionPool?, alarm: @escaping @Sendable (String) -> Void
    ) {
        state = Mutex(State(mode: mode))
        self.storePath = storePath
        self.connections = connections
        self.alarm = alarm
    }

    /// The mode whose triggers are kept.
    var mode: GuardMode { state.withLock(\.mode) }

    /// Takes over another mode, whose triggers are in place.
    func set(_ mode: GuardMode) { state.withLock { $0.mode = mode } }

    /// Puts the triggers of another mode in place. To be run inside a write transaction. What was noted is for caches, which
    /// have to be dropped whole where triggers may have been missing.
    static func install(_ mode: GuardMode, on connection: Connection) throws {
        try GuardTriggers.install(mode, on: connection)
        try connection.run("UPDATE COEXIST_STATE SET GUARD = ?", [.text(mode.rawValue)])
        try ForeignChanges.drop(connection)
        try CoexistenceState.countCommit(connection)
    }

    /// A change of mode, for the log.
    static func change(from old: GuardMode, to new: GuardMode) -> String {
        "the guard's mode was changed from \(old.rawValue) to \(new.rawValue)"
    }

    /// Looks whether the triggers are all there, and puts them back with an alarm where they are not.
    /// - Returns: whether some were not: then nobody knows what was written meanwhile.
    @discardableResult
    func mend() -> Bool {
        guard let connections, mode != .off else { return false }
        let mode = mode
        do {
            let found = try StoreConnector.translating(storePath) {
                try connections.use { connection in
                    guard try !Self.deviations(mode, connection).isEmpty else { return [String]() }
                    return try connection.transaction(.immediate) {
                        let found = try Self.deviations(mode, connection)
                        if !found.isEmpty { try Self.install(mode, on: connection) }
                        return found
                    }
                }
            }
            state.withLock { $0.isDue = false }
            guard let first = found.first else { return false }
            let more = found.count > 1 ? " and \(found.count - 1) more" : ""
            alarm(
                "triggers of the guard had been dropped or altered by another program, and were put back: "
                    + "\(first)\(more)")
            return true
        } catch {
            let isNew = state.withLock { state in
                defer { state.isDue = true }
                return !state.isDue
            }
            if isNew { alarm("the guard's triggers could not be put back, and it will be tried again: \(error)") }
            return true
        }
    }

    /// Tries again what failed.
    func retry() {
        if state.withLock(\.isDue) { mend() }
    }

    private static func deviations(_ mode: GuardMode, _ connection: Connection) throws -> [String] {
        // A store that was released has no guard to be put back.
        try CoexistenceTables.exist(connection) ? GuardTriggers.deviations(from: mode, on: connection) : []
    }
}
