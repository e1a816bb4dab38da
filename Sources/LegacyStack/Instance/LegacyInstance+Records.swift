import SQLite
import StoreFormat

extension LegacyInstance {
    /// Returns the objects that the query finds, as last committed, in one snapshot.
    /// - Throws: `StoreError`.
    public func objects(matching query: ObjectQuery) throws -> [ObjectRecord] {
        try read { connection in
            try connection.transaction(.deferred) { try records(keys(query, connection), connection) }
        }
    }

    /// Returns the identities of the objects that the query finds, in its order, as last committed.
    /// - Throws: `StoreError`.
    public func references(matching query: ObjectQuery) throws -> [ObjectReference] {
        try read { try keys(query, $0) }.map { ObjectReference(entity: $0.entity.name, key: $0.key) }
    }

    /// Returns the objects of these identities, in that order, as last committed and in one snapshot, without those that are
    /// gone.
    /// - Throws: `StoreError`, `UnknownEntity` among others.
    public func objects(_ references: ArraySlice<ObjectReference>) throws -> [ObjectRecord] {
        let found = try references.map { (entity: try schema.entity($0.entity), key: $0.key) }
        return try read { connection in
            try connection.transaction(.deferred) { try records(found, connection) }
        }
    }

    private func keys(_ query: ObjectQuery, _ connection: Connection) throws -> [(entity: SchemaEntity, key: Int64)] {
        let plan = try FetchPlan(query, schema)
        var found: [(entity: SchemaEntity, key: Int64)] = []
        try connection.prepare(plan.keySQL).forEach(plan.values) { row in
            if let entity = schema[number: row.integer(1)] { found.append((entity, row.integer(0))) }
        }
        return found
    }

    private func records(
        _ found: [(entity: SchemaEntity, key: Int64)], _ connection: Connection
    ) throws -> [ObjectRecord] {
        var readers: [Int: RecordReader] = [:]
        func record(_ entity: SchemaEntity, _ key: Int64) throws -> ObjectRecord? {
            let reader = readers[entity.index] ?? RecordReader(connection, schema, entity)
            readers[entity.index] = reader
            return try reader.record(key)
        }
        return try found.compactMap { entity, key in
            if let found = try record(entity, key) { return found }
            // An index that disagrees with its table gave another entity: the row counts.
            let sql = "SELECT Z_ENT FROM \(entity.layout.table.sqlIdentifier) WHERE Z_PK = ?"
            guard let number = try connection.scalar(sql, [.integer(key)])?.integerValue,
                let concrete = schema[number: number], concrete.index != entity.index
            else { return nil }
            return try record(concrete, key)
        }
    }

    /// Returns how many objects the query finds, as last committed; limit and offset count.
    /// - Throws: `StoreError`.
    public func count(of query: ObjectQuery) throws -> Int {
        let plan = try FetchPlan(query, schema)
        return try read { connection in
            let statement = try connection.prepare(plan.countSQL)
            statement.bind(plan.values)
            return try statement.step() ? Int(statement.integer(0)) : 0
        }
    }

    /// Returns an object from the cache, or with `isFresh` as last committed; nil where there is none.
    /// - Throws: `StoreError`, `UnknownEntity` among others.
    public func object(_ reference: ObjectReference, isFresh: Bool) throws -> ObjectRecord? {
        let entity = try schema.entity(reference.entity)
        try checkPlace()
        if !isFresh, let record = try cachedRecord(entity, reference.key) { return record }
        let generation = cache.generation
        return try read { connection in
            try connection.transaction(.deferred) {
                guard let concrete = try concreteEntity(entity, reference.key, connection) else { return nil }
                if !isFresh, let row = try RowReader.row(concrete, reference.key, connection) {
                    cache.insert([(concrete.rootIndex, reference.key, row)], generation: generation)
                }
                return try RecordReader(connection, schema, concrete).record(reference.key)
            }
        }
    }

    /// The record that the cached row gives; nil without a cached row. To-many members are read from the database, as no
    /// row holds them.
    private func cachedRecord(_ entity: SchemaEntity, _ key: Int64) throws -> ObjectRecord? {
        guard let row = cache.row(root: entity.rootIndex, key: key), row.entity == entity.index
        else { return nil }
        if entity.relationshipSlots.isEmpty {
            return ObjectRecord(
                reference: ObjectReference(entity: entity.name, key: key), version: row.version,
                values: Dictionary(
                    entity.layout.attributes.map { ($0.name, row.attribute($0, schema.externalData)) },
                    uniquingKeysWith: { _, last in last }), relationships: [:])
        }
        let fresh = try read { connection in
            try connection.transaction(.deferred) { try RecordReader(connection, schema, entity).record(key) }
        }
        guard var record = fresh, record.version != row.version else { return fresh }
        record.version = row.version
        for attribute in entity.layout.attributes {
            record.values.updateValue(row.attribute(attribute, schema.externalData), forKey: attribute.name)
        }
        for slot in entity.relationshipSlots {
            guard case .relationship(let relationship) = entity.properties[slot], !relationship.isToMany else {
                continue
            }
            let id = RowReader.destination(row, relationship, entity, schema)
            record.relationships[relationship.name] = .toOne(id.map { .init(entity: $0.entity.name, key: $0.key) })
        }
        return record
    }

    /// Calls the body with every object of exactly this entity, in one snapshot.
    /// - Throws: `StoreError`, and what the body throws.
    public func forEachObject(of entity: String, _ body: (ObjectRecord) throws -> Void) throws {
        let entity = try schema.entity(entity)
        try read { connection in
            try connection.transaction(.deferred) { try RecordReader(connection, schema, entity).forEach(body) }
        }
    }

    /// Calls the body with the objects of exactly this entity whose keys lie above `key` and not above `last`, by key, in
    /// one snapshot, until it returns false.
    /// - Throws: `StoreError`, and what the body throws.
    public func forEachObject(
        of entity: String, after key: Int64, through last: Int64, _ body: (ObjectRecord) throws -> Bool
    ) throws {
        let entity = try schema.entity(entity)
        try read { connection in
            try connection.transaction(.deferred) {
                try RecordReader(connection, schema, entity).forEach(after: key, through: last, body)
            }
        }
    }

    /// The entity of the row with that key, if it is the given one or inherits from it.
    func concreteEntity(_ entity: SchemaEntity, _ key: Int64, _ connection: Connection) throws -> SchemaEntity? {
        let sql = "SELECT Z_ENT FROM \(entity.layout.table.sqlIdentifier) WHERE Z_PK = ?"
        guard let number = try connection.scalar(sql, [.integer(key)])?.integerValue,
            let found = schema[number: number], entity.isAncestor(of: found)
        else { return nil }
        return found
    }
}
