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
            let named = (error.message.components(separatedBy: ": ").last ?? "").components(separatedBy: ", ")
            let columns = named.compactMap { name in
                entity.columns.firstIndex { "\(entity.table).\($0)" == name }
            }
            let isKnown = columns.count == named.count
            let constraint = isKnown ? entity.uniquenessConstraints.first { Set($0.columns) == Set(columns) } : nil
            let names =
                constraint?.properties.joined(separator: ", ")
                ?? (isKnown ? columns.map(entity.property) : named).joined(separator: ", ")
                + ", by a unique index that the model does not have"
            guard isKnown, let other = try holder(of: columns, entity, key, value) else {
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

    /// The row that has the values of the columns already: those of a constraint, or of a unique index of somebody else's.
    private func holder(
        of columns: [Int], _ entity: EntityLayout, _ key: Int64?, _ value: (Int) -> SQLValue?
    ) throws -> ObjectReference? {
        let table = entity.table.sqlIdentifier
        var conditions: [String] = []
        var values: [SQLValue] = [key.map { .integer($0) } ?? .null]
        for index in columns {
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

extension EntityLayout {
    /// The property whose values are in a column, by its index; the column's name where no property's are.
    fileprivate func property(_ column: Int) -> String {
        if let attribute = attributes.first(where: { $0.leaves.contains { $0.column == column } }) {
            return attribute.name
        }
        let relationship = relationships.first {
            if case .toOne(let key) = $0.storage { key.column == column } else { false }
        }
        return relationship?.name ?? columns[column]
    }
}
