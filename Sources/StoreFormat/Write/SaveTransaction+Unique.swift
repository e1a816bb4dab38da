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
            // An index covers the whole table: it can be of a constraint that a subentity alone declares, or another program's.
            let columns = Self.columns(of: entity.table, in: error.message)
            let names = names(columns, entity, error.message)
            guard let other = try holder(of: columns, entity, key, value) else {
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

    /// The columns that SQLite names: "UNIQUE constraint failed: ZTAG.ZNAME, ZTAG.ZLANGUAGE"
    ///
    /// None of an index over expressions, which it calls by its own name.
    private static func columns(of table: String, in message: String) -> [String] {
        let list = message.components(separatedBy: "failed: ").last?.components(separatedBy: ", ") ?? []
        guard list.allSatisfy({ $0.hasPrefix("\(table).") }) else { return [] }
        return list.map { String($0.dropFirst(table.count + 1)) }
    }

    /// What is to be unique, in words.
    private func names(_ columns: [String], _ entity: EntityLayout, _ message: String) -> String {
        let isDeclared = store.layout.entities.contains { other in
            other.table == entity.table
                && other.uniquenessConstraints.contains { Set($0.columns.map { other.columns[$0] }) == Set(columns) }
        }
        let names = columns.map { property(of: $0, in: entity) }.joined(separator: ", ")
        if isDeclared { return names }
        let what = columns.isEmpty ? message.components(separatedBy: "failed: ").last ?? message : names
        return what + ", by a unique index that the model does not have"
    }

    /// The property that has a column, by the entity's own name for it or that of another one of the table; the column where
    /// none has it.
    private func property(of column: String, in entity: EntityLayout) -> String {
        let others = store.layout.entities.filter { $0.table == entity.table && $0.name != entity.name }
        return ([entity] + others).lazy.compactMap { Self.property(of: column, in: $0) }.first ?? column
    }

    private static func property(of column: String, in entity: EntityLayout) -> String? {
        guard let index = entity.columns.firstIndex(of: column) else { return nil }
        for attribute in entity.attributes {
            guard let leaf = attribute.leaves.first(where: { $0.column == index }) else { continue }
            return attribute.isComposite ? "\(attribute.name).\(leaf.name)" : attribute.name
        }
        return entity.relationships.first { relationship in
            if case .toOne(let key) = relationship.storage { return key.column == index }
            return false
        }?.name
    }

    /// The row that has the values of some columns already.
    private func holder(
        of columns: [String], _ entity: EntityLayout, _ key: Int64?, _ value: (Int) -> SQLValue?
    ) throws -> ObjectReference? {
        guard !columns.isEmpty else { return nil }
        let table = entity.table.sqlIdentifier
        var conditions: [String] = []
        var values: [SQLValue] = [key.map { .integer($0) } ?? .null]
        for name in columns {
            let column = name.sqlIdentifier
            if let value = entity.columns.firstIndex(of: name).flatMap({ value($0) }) {
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
