import SQLite
import StoreFormat

extension StoreBridge {
    /// Moves the log into the store. Being busy is a result: try again later.
    public func checkpoint() throws -> Connection.CheckpointResult {
        try maintain { try $0.checkpoint(.truncate) }
    }

    /// Applies a changed configuration: the owners that it names must be those of the register.
    /// - Throws: `StoreError` `Refused` where they are not.
    public func checkSeed(_ seed: OwnershipSeed) throws {
        let store = store
        let differences = try read { try StorePreparation.differences($0, store, seed) }
        guard differences.isEmpty else {
            throw StoreError(.refused, differences.joined(separator: "; "), way: "the configuration was not reloaded")
        }
    }

    /// Puts the guard's triggers of another mode in place.
    public func setGuard(_ mode: GuardMode) throws {
        try maintain { connection in
            try connection.transaction(.immediate) {
                try GuardTriggers.install(mode, on: connection)
                try connection.run("UPDATE COEXIST_STATE SET GUARD = ?", [.text(mode.rawValue)])
                try CoexistenceState.countCommit(connection)
            }
        }
    }
}
