import Foundation
import SQLite

/// The last transaction of ours that wrote a unit.
public struct LastWrite: Sendable, Hashable {
    /// The history transaction's number.
    public var transaction: Int64
    /// The stack that wrote it.
    public var stack: StackName
    /// When, and who says the application it was; nil where history no longer has the transaction.
    public var heading: HistoryTransaction?

    /// The last write of each unit, by the unit's name; a unit that was not written since adoption has none.
    ///
    /// Reads the record of writers from its end until every unit has been met.
    /// - Throws: `StoreError`.
    public static func read(_ connection: Connection, store: Store) throws -> [String: LastWrite] {
        if !connection.isInTransaction {
            return try connection.transaction(.deferred) { try read(connection, store: store) }
        }
        guard let register = try OwnershipRegister.read(connection) else { return [:] }
        var missing = Set(register.units.keys)
        var found: [String: LastWrite] = [:]
        let statement = try connection.cached(
            "SELECT NUMBER, STACK, EPOCHS FROM COEXIST_TRANSACTION ORDER BY NUMBER DESC")
        defer { statement.reset() }
        while !missing.isEmpty, try statement.step() {
            guard let stack = statement.text(1).flatMap(StackName.init(rawValue:)) else { continue }
            for line in (statement.text(2) ?? "").split(separator: "\n") {
                let unit = String(line.prefix { $0 != "=" })
                guard missing.remove(unit) != nil else { continue }
                found[unit] = LastWrite(transaction: statement.integer(0), stack: stack)
            }
        }
        let reader = HistoryReader(connection, store: store)
        for (unit, write) in found { found[unit]?.heading = try reader.heading(of: write.transaction) }
        return found
    }
}
