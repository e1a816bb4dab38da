import SQLite

/// Freezes that nobody is left to end: the daemon that froze a unit, for a handover or by hand, is gone.
///
/// Owner and epoch are as before the freeze, so to clear the flag is to undo it.
public enum AbandonedFreeze {
    /// Clears every flag. To be run inside a write transaction, which counts the commit.
    /// - Returns: the units that were frozen, by name.
    public static func undo(_ connection: Connection) throws -> [String] {
        let frozen = try connection.query("SELECT NAME FROM COEXIST_UNIT WHERE FROZEN <> 0 ORDER BY NAME")
            .compactMap { $0[0].textValue }
        if !frozen.isEmpty { try connection.run("UPDATE COEXIST_UNIT SET FROZEN = 0") }
        return frozen
    }
}

extension OwnershipRegister {
    /// The register as a save takes it, inside its transaction: freezes whose daemon is gone are undone, in this very
    /// transaction. A daemon that starts meanwhile undoes them itself, and cannot freeze before the transaction ends.
    static func readForSave(_ connection: Connection, storePath: String) throws -> OwnershipRegister? {
        let register = try read(connection)
        guard register?.units.values.contains(where: \.isFrozen) == true, !StoreLock.isHeld(storePath: storePath)
        else { return register }
        _ = try AbandonedFreeze.undo(connection)
        return try read(connection)
    }
}
