import Foundation
import SQLite

extension SaveTransaction {
    /// Runs a statement that writes a row; where a uniqueness constraint refuses it, says which row has the values, and
    /// who owns that row.
    /// - Parameters:
    ///   - key: that of the object; nil for a new one.
    ///   - value: what the statement writes to a column, by its index; nil for a column that it leaves alone.
    /// - Throws: `StoreError` `UniqueConflict`, naming both rows.
    func uniquely(
        _ entity: EntityLayout, _ key: Int64?, _ value: (Int) -> SQLValue?, _ run: () throws -> Void
    ) throws {
        do {
            try run()
        } catch let error as SQLiteError where error.isUniqueConstraint {
            let object = ObjectReference(entity: entity.name, key: key ?? 0)
            let label = key == nil ? NewObjectName.text(entity, value) : nil
            // "UNIQUE constraint failed: ZTAG.ZNAME, ZTAG.ZLANGUAGE"
            let named = Set((error.message.components(separatedBy: ": ").last ?? "").components(separatedBy: ", "))
            let constraint = entity.uniquenessConstraints.first { constraint in
                Set(constraint.columns.map { "\(entity.table).\(entity.columns[$0])" }) == named
            }
            let names = constraint?.properties.joined(separator: ", ") ?? error.message
            guard let constraint, let other = try holder(of: constraint, entity, key, value) else {
                throw StoreError(
                    .uniqueConflict,
                    "\(label ?? "\(object)") cannot be saved: another \(entity.name) has the same \(names)",
                    way: "change the value, or update the object that has it",
                    objects: [.init(object: object, reason: "the same \(names)", label: label)])
            }
            let unit = register?.unit(ofEntity: other.entity)
            let owned = unit.map { ", owned by the \($0.owner.rawValue) stack (epoch \($0.epoch))," } ?? ""
            throw StoreError(
                .uniqueConflict, "\(label ?? "\(object)") cannot be saved: \(other)\(owned) has the same \(names)",
                way: "change the value, or update \(other)",
                objects: [
                    .init(object: object, reason: "the same \(names) as \(other)", label: label),
                    .init(object: other, owner: unit?.owner, epoch: unit?.epoch, reason: "has the \(names) already"),
                ])
        }
    }

    /// The row that has a constraint's values already.
    private func holder(
        of constraint: EntityLayout.UniquenessLayout, _ entity: EntityLayout, _ key: Int64?,
        _ value: (Int) -> SQLValue?
    ) throws -> ObjectReference? {
        let table = entity.table.sqlIdentifier
        var conditions: [String] = []
        var values: [SQLValue] = [key.map { .integer($0) } ?? .null]
        for index in constraint.columns {
            let column = entity.columns[index].sqlIdentifier
            if let value = value(index) {
                conditions.append("\(column) = ?")
                values.append(value)
            } else {
                conditions.append("\(column) = (SELECT \(column) FROM \(table) WHERE Z_PK = ?1)")
            }
        }
        let condition = conditions.joined(separator: " AND ")
        let rows = try connection.query(
            "SELECT Z_ENT, Z_PK FROM \(table) WHERE Z_PK IS NOT ?1 AND \(condition) LIMIT 1", values)
        guard let row = rows.first, let found = row[0].integerValue.flatMap({ store.layout[number: $0] }),
            let holder = row[1].integerValue
        else { return nil }
        return ObjectReference(entity: found.name, key: holder)
    }
}
