import SQLite
import StoreFormat

/// Undoes freezes in a store that no daemon has.
public enum OfflineThaw {
    /// Clears the flag of the entity's unit, or of every unit.
    /// - Returns: the units that were frozen, by name.
    /// - Throws: `StoreError`: `Busy` beside a running daemon, `NotAdopted`, `UnknownEntity`.
    public static func thaw(_ path: String, entity: String? = nil) throws -> [String] {
        try StoreProbe.check(path)
        let lock = try StoreLock(storePath: path)
        defer { lock.release() }
        return try StoreConnector.translating(path) {
            guard try CoexistenceTables.exist(StoreConnector.offlineReader(path)) else {
                throw StoreError(.notAdopted, "\(path) has not been adopted", way: "there is nothing to thaw")
            }
            let connection = try StoreConnector.connect(path, .writer(.full))
            let writer = OwnershipWriter(connection: connection)
            guard let entity else { return try writer.thawAll() }
            let register = try OwnershipRegister.read(connection)
            guard let unit = register?.unit(ofEntity: entity) else {
                throw StoreError(
                    .unknownEntity, "the ownership register has no entity \(entity)",
                    way: "`coexistctl inspect \(path)` lists the entities")
            }
            guard unit.isFrozen else { return [] }
            try writer.setFreeze(nil, unit: unit.name)
            return [unit.name]
        }
    }
}
