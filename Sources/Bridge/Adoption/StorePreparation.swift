import Foundation
import SQLite
import StoreFormat

/// A store made ready for a bridge: adopted, its guard in place, freezes of a daemon that is gone undone.
public struct StorePreparation: Sendable {
    /// The store as it is now.
    public var store: Store
    /// Why nothing may be written; nil where the store may be.
    public var readOnlyReason: String?
    /// The damage because of which nothing may be written.
    public var problem: StoreError?
    /// The backup that adoption made, if there was one just now.
    public var backup: String?

    static func prepare(_ opened: Store, options: BridgeOptions, log: BridgeLog) throws -> StorePreparation {
        warnOfSQLite(log)
        try options.seed.checkNames(opened.layout)
        guard options.isTracking else {
            let reason = "history.tracking is off in the configuration"
            log.warn("\(opened.path) is open read-only: \(reason)")
            return StorePreparation(store: opened, readOnlyReason: reason, backup: nil)
        }
        let isAdopted = try StoreConnector.translating(opened.path) {
            let connection = try StoreConnector.offlineReader(opened.path)
            guard try CoexistenceTables.exist(connection) else { return false }
            _ = try CoexistenceState.read(connection)
            return true
        }
        if let problem = try damage(opened, isAdopted: isAdopted) ?? loss(opened) {
            return degraded(opened, problem, log)
        }
        var backup: String?
        if !isAdopted {
            let plan = Adoption.Plan(seed: options.seed, guardMode: options.guardMode)
            backup = try Adoption.adopt(opened, plan: plan)
        }
        do {
            let connection = try StoreConnector.connect(opened.path, .writer(options.durability))
            let store = try StoreConnector.translating(opened.path) {
                if isAdopted { try takeOver(connection, opened, options, log) }
                return try opened.reread(connection)
            }
            return StorePreparation(store: store, readOnlyReason: nil, backup: backup)
        } catch let error as StoreError where error.code == .damaged && StoreHealth.problem(of: opened) != nil {
            return degraded(opened, error, log)
        }
    }

    /// Small files are looked through at every start, larger ones when they are adopted, and by `verify`.
    private static func damage(_ store: Store, isAdopted: Bool) throws -> StoreError? {
        let size = (try? FileManager.default.attributesOfItem(atPath: store.path)[.size]) as? Int ?? 0
        guard !isAdopted || size <= StoreHealth.examinedBytes else { return nil }
        return try StoreHealth.examine(store.path, checksIndexes: !isAdopted)
    }

    /// Tables and columns that are gone since the store was adopted, and what the register lacks.
    private static func loss(_ store: Store) throws -> StoreError? {
        try StoreConnector.translating(store.path) {
            let connection = try StoreConnector.offlineReader(store.path)
            return try StoreHealth.lossSinceAdoption(store, connection)
                ?? StoreHealth.registerProblem(store, connection)
        }
    }

    /// What can be read of a damaged store is, and nothing is written to it.
    private static func degraded(_ store: Store, _ problem: StoreError, _ log: BridgeLog) -> StorePreparation {
        log.warn("\(store.path) is open read-only: \(problem)")
        return StorePreparation(store: store, readOnlyReason: problem.message, problem: problem)
    }

    /// Opens a store that was adopted before.
    private static func takeOver(
        _ connection: Connection, _ store: Store, _ options: BridgeOptions, _ log: BridgeLog
    ) throws {
        // An adoption or a release that was cut off left the mode from before adoption.
        try Adoption.turnToWAL(connection, store.path)
        for unit in try OwnershipWriter(connection: connection).thawAll() {
            log.warn(
                "\(unit) was frozen by a daemon that is gone, for a handover or by hand: it has been thawed, its owner is as "
                    + "before")
        }
        for difference in try differences(connection, store, options.seed) { log.warn(difference) }
        let before = try CoexistenceState.read(connection).guardMode
        let notes = try connection.transaction(.immediate) {
            let notes = try ForeignChanges.untold(connection, store: store)
            // What is noted is in no cache yet.
            try GuardKeeper.install(options.guardMode, on: connection)
            return notes
        }
        if let notes { log.untracked(notes) }
        if before != options.guardMode {
            log.tell(GuardKeeper.change(from: before, to: options.guardMode) + ", by the configuration")
        }
    }

    /// Where the configuration's owners differ from the register, which is what counts.
    static func differences(_ connection: Connection, _ store: Store, _ seed: OwnershipSeed) throws -> [String] {
        try seed.checkNames(store.layout)
        guard let register = try OwnershipRegister.read(connection) else { return [] }
        func difference(_ name: String, _ owner: StackName, _ unit: OwnershipRegister.Unit?) -> String? {
            guard let unit, unit.owner != owner else { return nil }
            return "the configuration gives \(name) to the \(owner.rawValue) stack, but the register says "
                + "\(unit.owner.rawValue) (epoch \(unit.epoch)): the register counts; use `coexistctl handover` to change it"
        }
        let entities = seed.entities.sorted { $0.key < $1.key }.compactMap { entity, owner in
            difference(entity, owner, register.unit(ofEntity: entity))
        }
        return try entities
            + seed.relationships.sorted { $0.key < $1.key }.compactMap { path, owner in
                let table = try OwnershipSeed.join(path, store.layout).table
                return difference(path, owner, register.unit(ofJoinTable: table))
            }
    }

    private static func warnOfSQLite(_ log: BridgeLog) {
        for fault in LibraryFault.known() {
            log.warn(
                "SQLite \(Connection.libraryVersion) has \(fault.name) (fixed in \(fault.fixedIn)): \(fault.remedy)")
        }
    }
}
