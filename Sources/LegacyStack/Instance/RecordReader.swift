import SQLite
import StoreFormat

/// Reads one entity's objects as records, straight from the database.
///
/// Belongs to the connection's user, and is used inside one transaction.
final class RecordReader {
    private let connection: Connection
    private let schema: Schema
    private let entity: SchemaEntity
    private let toOnes: [(name: String, column: Int)]
    private let toManys: [(name: String, sql: ToManySQL)]

    init(_ connection: Connection, _ schema: Schema, _ entity: SchemaEntity) {
        self.connection = connection
        self.schema = schema
        self.entity = entity
        toOnes = entity.recordShape.toOnes
        toManys = entity.recordShape.toManys
    }

    /// The object of that key, or nil.
    func record(_ key: Int64) throws -> ObjectRecord? {
        let one = try connection.cached(entity.recordShape.one)
        one.bind(key, at: 1)
        defer { one.reset() }
        return try one.step() ? try withMembers(self.record(one)) : nil
    }

    private func withMembers(_ record: ObjectRecord) throws -> ObjectRecord {
        var record = record
        for relationship in toManys {
            var list: [ObjectReference] = []
            try connection.cached(relationship.sql.member).forEach([.integer(record.reference.key)]) { row in
                if let entity = schema[number: row.integer(1)] {
                    list.append(ObjectReference(entity: entity.name, key: row.integer(0)))
                }
            }
            record.relationships[relationship.name] = .toMany(list)
        }
        return record
    }

    /// The objects with keys above one and not above another, by key, until the body returns false.
    func forEach(after key: Int64, through last: Int64, _ body: (ObjectRecord) throws -> Bool) throws {
        let rows = try connection.prepare(entity.recordShape.range)
        rows.bind([.integer(key), .integer(last)])
        while try rows.step() {
            guard try body(try withMembers(record(rows))) else { return }
        }
    }

    /// All objects by key. To-many relationships are read beside the rows, one ordered pass each.
    func forEach(_ body: (ObjectRecord) throws -> Void) throws {
        let rows = try connection.prepare(entity.recordShape.all)
        let cursors = try toManys.map { ToManyCursor(try connection.prepare($0.sql.all), schema) }
        try rows.forEach { row in
            var record = self.record(row)
            for (i, relationship) in toManys.enumerated() {
                record.relationships[relationship.name] = .toMany(try cursors[i].members(of: record.reference.key))
            }
            try body(record)
        }
    }

    private func record(_ row: Statement) -> ObjectRecord {
        let layout = entity.layout
        var values: [String: AttributeValue?] = [:]
        values.reserveCapacity(layout.attributes.count)
        for attribute in layout.attributes { values.updateValue(value(attribute, row), forKey: attribute.name) }
        var relationships: [String: RelationshipValue] = [:]
        for (i, toOne) in toOnes.enumerated() {
            relationships[toOne.name] = .toOne(reference(layout, i, row))
        }
        return ObjectRecord(
            reference: ObjectReference(entity: layout.name, key: row.integer(0)), version: row.integer(1),
            values: values,
            relationships: relationships)
    }

    private func reference(_ layout: EntityLayout, _ i: Int, _ row: Statement) -> ObjectReference? {
        let (name, column) = toOnes[i]
        guard column >= 0, !row.isNull(column), case .toOne(let key)? = layout.relationship(name)?.storage,
            let destination = schema[number: row.integer(column)]
        else { return nil }
        return ObjectReference(entity: destination.name, key: row.integer(2 + key.column))
    }

    private func value(_ attribute: AttributeLayout, _ row: Statement) -> AttributeValue? {
        func decode(_ leaf: LeafLayout) -> AttributeValue? {
            guard let column = leaf.column else { return nil }
            return ValueCoding.decode(row, 2 + column, as: leaf, external: schema.externalData)
        }
        if let leaf = attribute.leaf { return decode(leaf) }
        var leaves: [String: AttributeValue] = [:]
        for leaf in attribute.leaves { leaves[leaf.name] = decode(leaf) }
        return leaves.isEmpty ? nil : .composite(leaves)
    }
}

/// The members of a to-many for every object, read in step with the objects.
private final class ToManyCursor {
    private let statement: Statement
    private let schema: Schema
    private var isOpen = false
    private var isAtEnd = false

    init(_ statement: Statement, _ schema: Schema) {
        self.statement = statement
        self.schema = schema
    }

    /// The members of the object with that key, which must not be less than the last one asked for.
    func members(of key: Int64) throws -> [ObjectReference] {
        if !isOpen {
            isOpen = true
            isAtEnd = try !statement.step()
        }
        var list: [ObjectReference] = []
        while !isAtEnd {
            let owner = statement.integer(0)
            if owner > key { break }
            if owner == key, let entity = schema[number: statement.integer(2)] {
                list.append(ObjectReference(entity: entity.name, key: statement.integer(1)))
            }
            isAtEnd = try !statement.step()
        }
        return list
    }
}
