import SQLite
import StoreFormat

/// Reads rows for the cache and for objects.
enum RowReader {
    /// The row of exactly that entity, or nil.
    static func row(_ entity: SchemaEntity, _ key: Int64, _ connection: Connection) throws -> Row? {
        let statement = try connection.cached(entity.lookupSQL)
        statement.bind(key, at: 1)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let count = entity.layout.columns.count
        var values: [SQLValue] = []
        values.reserveCapacity(count)
        for i in 0..<count { values.append(statement.value(1 + i)) }
        return Row(entity: entity.index, version: statement.integer(0), values: values)
    }

    /// Where a to-one leads by the row's own columns: the entity as far as the row tells it. Whether the row at the other
    /// end exists is not asked.
    static func destination(
        _ row: Row, _ relationship: SchemaRelationship, _ entity: SchemaEntity, _ schema: Schema
    ) -> (entity: SchemaEntity, key: Int64)? {
        guard case .toOne(let key) = relationship.layout.storage, case .integer(let pk) = row.values[key.column],
            relationship.destination >= 0
        else { return nil }
        if let column = key.entityColumn, case .integer(let number) = row.values[column] {
            return schema[number: number].map { ($0, pk) }
        }
        return (schema.entities[relationship.destination], pk)
    }
}
