import SQLite

extension SaveTransaction {
    /// Runs a statement that writes a row, and tells which object has the unique values already that it is to have.
    /// - Parameters:
    ///   - key: that of the object; nil for a new one.
    ///   - value: what is written to a column, by its index; nil for one that stays.
    /// - Throws: `StoreError` `UniqueConflict`.
    func uniquely(
        _ entity: EntityLayout, _ key: Int64?, _ value: (Int) -> SQLValue?, _ body: () throws -> Void
    ) throws {
        do {
            try body()
        } catch let error as SQLiteError where error.isUniqueConstraint {
            let object = ObjectReference(entity: entity.name, key: key ?? 0)
            let label = key == nil ? NewObjectName.text(entity, value) : nil
            let constraint = entity.uniquenessConstraints.first { constraint in
                constraint.columns.allSatisfy { error.message.contains("\(entity.table).\(entity.columns[$0])") }
            }
            let names = constraint?.properties.joined(separator: ", ") ?? error.message
            let holder = try constraint.flatMap { try self.holder(of: $0, entity, key, value) }
            throw StoreError(
                .uniqueConflict,
                "\(label ?? "\(object)") cannot be saved: \(holder ?? "another \(entity.name)") has the same \(names)",
                way: "change the value, or update \(holder ?? "the object that has it")",
                objects: [.init(object: object, reason: "the same \(names)", label: label)])
        }
    }

    /// The object that has the values of a constraint.
    private func holder(
        of constraint: EntityLayout.UniquenessLayout, _ entity: EntityLayout, _ key: Int64?, _ value: (Int) -> SQLValue?
    ) throws -> String? {
        let table = entity.table.sqlIdentifier
        var conditions: [String] = []
        var values: [SQLValue] = [key.map { .integer($0) } ?? .null]
        for column in constraint.columns {
            let name = entity.columns[column].sqlIdentifier
            if let value = value(column) {
                conditions.append("\(name) = ?")
                values.append(value)
            } else {
                conditions.append("\(name) = (SELECT \(name) FROM \(table) WHERE Z_PK = ?1)")
            }
        }
        let condition = conditions.joined(separator: " AND ")
        let rows = try connection.query(
            "SELECT Z_ENT, Z_PK FROM \(table) WHERE Z_PK IS NOT ?1 AND \(condition) LIMIT 1", values)
        guard let number = rows.first?[0].integerValue, let holder = rows.first?[1].integerValue,
            let found = store.layout.entities.first(where: { $0.number == number })
        else { return nil }
        return "\(ObjectReference(entity: found.name, key: holder))"
    }
}
