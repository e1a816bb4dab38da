import Foundation
import SQLite
import StoreFormat

/// A store made ready for a bridge: adopted, its guard in place, freezes of a daemon that is gone undone.
public struct StorePreparation: Sendable {
    /// The store as it is now.
    public var store: Store
    /// Why nothing may be written; nil where the store may be.
    public var readOnlyReason: String?
    /// The backup that adoption made, if there was one just now.
    public var backup: String?

    static func prepare(_ opened: Store, options: BridgeOptions, log: BridgeLog) throws -> StorePreparation {
        warnOfSQLite(log)
        guard options.isTracking else {
            let reason = "history.tracking is off, and a store without history cannot be shared by two stacks"
            log.warn("\(opened.path) is open read-only: \(reason)")
            return StorePreparation(store: opened, readOnlyReason: reason, backup: nil)
        }
        var backup: String?
        let isAdopted = try StoreConnector.translating(opened.path) {
            try CoexistenceTables.exist(try StoreConnector.offlineReader(opened.path))
        }
        if !isAdopted {
            let plan = Adoption.Plan(seed: options.seed, guardMode: options.guardMode)
            backup = try Adoption.adopt(opened, plan: plan)
        }
        let connection = try StoreConnector.connect(opened.path, .writer(options.durability))
        let store = try StoreConnector.translating(opened.path) {
            if isAdopted { try takeOver(connection, opened, options, log) }
            return try opened.reread(connection)
        }
        return StorePreparation(store: store, readOnlyReason: nil, backup: backup)
    }

    /// Opens a store that was adopted before.
    private static func takeOver(
        _ connection: Connection, _ store: Store, _ options: BridgeOptions, _ log: BridgeLog
    ) throws {
        for unit in try OwnershipWriter(connection: connection).thawAll() {
            log.warn(
                "\(unit) was frozen for a handover whose daemon is gone: it has been thawed, its owner is as before")
        }
        for difference in try differences(connection, store, options.seed) { log.warn(difference) }
        try connection.transaction(.immediate) {
            try GuardTriggers.install(options.guardMode, on: connection)
            try connection.run("UPDATE COEXIST_STATE SET GUARD = ?", [.text(options.guardMode.rawValue)])
            try CoexistenceState.countCommit(connection)
        }
    }

    /// Where the configuration's owners differ from the register, which is what counts.
    static func differences(_ connection: Connection, _ store: Store, _ seed: OwnershipSeed) throws -> [String] {
        guard let register = try OwnershipRegister.read(connection) else { return [] }
        return try seed.entities.sorted { $0.key < $1.key }.compactMap { entity, owner in
            _ = try store.layout.entity(entity)
            guard let unit = register.unit(ofEntity: entity), unit.owner != owner else { return nil }
            return "the configuration gives \(entity) to the \(owner.rawValue) stack, but the register says "
                + "\(unit.owner.rawValue) (epoch \(unit.epoch)): the register counts; use `coexistctl handover` to change it"
        }
    }

    private static func warnOfSQLite(_ log: BridgeLog) {
        let version = Connection.libraryVersionNumber
        let isFixed =
            version >= 3_051_003 || (3_050_007..<3_051_000).contains(version)
            || (3_044_006..<3_045_000).contains(version)
        if !isFixed {
            log.warn(
                "SQLite \(Connection.libraryVersion) has the WAL-reset fault (fixed in 3.51.3): automatic checkpoints are off, "
                    + "and checkpoints take the writer's lock")
        }
    }
}
