import Foundation
import SQLite

/// The last transaction that wrote a unit, as far as history and the record of writers still have it.
public struct LastWrite: Sendable, Hashable {
    /// The history transaction's number.
    public var transaction: Int64
    /// The stack that wrote it; nil for another program that kept history, with the guard off.
    public var stack: StackName?
    /// When, and who says the application it was; nil where history no longer has the transaction.
    public var heading: HistoryTransaction?

    /// The last write of each unit, by the unit's name. A unit that was not written since adoption has none, nor has one of
    /// which the last write has been purged: with a transaction the record of its writer goes.
    ///
    /// Reads the record of writers from its end until every unit has been met, then what other programs wrote since.
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
        if try HistoryTables.exist(connection) { try addForeign(to: &found, register, reader) }
        for (unit, write) in found { found[unit]?.heading = try reader.heading(of: write.transaction) }
        return found
    }

    /// Transactions without a writer in our record that are newer than what was found of a unit.
    private static func addForeign(
        to found: inout [String: LastWrite], _ register: OwnershipRegister, _ reader: HistoryReader
    ) throws {
        let connection = reader.connection
        var open = Set(register.units.keys)
        let foreign = try connection.cached(
            """
            SELECT t.Z_PK FROM ATRANSACTION t WHERE t.Z_PK > ?
                AND NOT EXISTS (SELECT 1 FROM COEXIST_TRANSACTION w WHERE w.NUMBER = t.Z_PK) ORDER BY t.Z_PK DESC
            """)
        foreign.bind([.integer(try CoexistenceState.read(connection).historyStart)])
        defer { foreign.reset() }
        while try foreign.step() {
            let number = foreign.integer(0)
            open = open.filter { (found[$0]?.transaction ?? 0) < number }
            guard !open.isEmpty else { return }
            let rows = try connection.query(
                "SELECT DISTINCT ZENTITY FROM ACHANGE WHERE ZTRANSACTIONID = ?", [.integer(number)])
            for row in rows {
                guard let entity = row[0].integerValue.flatMap({ reader.store.layout[number: $0]?.name }),
                    let unit = register.unitOfEntity[entity], open.contains(unit)
                else { continue }
                found[unit] = LastWrite(transaction: number, stack: nil)
            }
        }
    }
}
