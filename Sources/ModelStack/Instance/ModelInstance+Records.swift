import SQLite
import StoreFormat
import StoreModel

extension ModelInstance {
    /// Returns the objects that the query finds, as last committed, in one snapshot; their rows go into the cache.
    /// - Throws: `StoreError`.
    public func objects(matching query: ObjectQuery) throws -> [ObjectRecord] {
        let fetch = try FetchPlan.compile(query, plan)
        let generation = cache.generation
        return try read { connection in
            var rows: [StoredRow] = []
            try Self.forEachRow(fetch, connection) { rows.append($0) }
            cache.insert(rows, generation: generation)
            // The to-many of many objects are read beside them, for which they have to come by key.
            let isByKey = rows.count > 200 && zip(rows, rows.dropFirst()).allSatisfy { $0.key < $1.key }
            let reader = RecordReader(connection, plan, isBulk: isByKey)
            return try rows.map { try reader.record($0) }
        }
    }

    /// Returns the identities of the objects that the query finds, in its order, as last committed.
    /// - Throws: `StoreError`.
    public func references(matching query: ObjectQuery) throws -> [ObjectReference] {
        let fetch = try FetchPlan.compile(query, plan)
        return try read { connection in
            var found: [ObjectReference] = []
            try connection.prepare(fetch.keysSQL).forEach(fetch.parameters) { row in
                guard let entity = plan[number: row.integer(1)] else { return }
                found.append(ObjectReference(entity: entity.name, key: row.integer(0)))
            }
            return found
        }
    }

    /// Returns the objects of these identities, in that order, as last committed and in one snapshot, without those that are
    /// gone. Nothing goes into the cache.
    /// - Throws: `StoreError`, `UnknownEntity` among others.
    public func objects(_ references: ArraySlice<ObjectReference>) throws -> [ObjectRecord] {
        let found = try references.map { (entity: try plan.entity($0.entity), key: $0.key) }
        return try read { connection in
            let reader = RecordReader(connection, plan, isBulk: false)
            return try found.compactMap { entity, key in
                let row = try Self.row(entity, key, plan, connection)
                return try row.map { try reader.record($0) }
            }
        }
    }

    /// Returns how many objects the query finds, as last committed; limit and offset count.
    /// - Throws: `StoreError`.
    public func count(of query: ObjectQuery) throws -> Int {
        let fetch = try FetchPlan.compile(query, plan)
        return try read { Int(try $0.scalar(fetch.countSQL, fetch.parameters)?.integerValue ?? 0) }
    }

    /// Returns an object from the cache, or with `isFresh` as last committed; nil where there is none.
    /// - Throws: `StoreError`, `UnknownEntity` among others.
    public func object(_ reference: ObjectReference, isFresh: Bool) throws -> ObjectRecord? {
        let entity = try plan.entity(reference.entity)
        let cached = isFresh ? nil : cache.row(entity.root, reference.key)
        let generation = cache.generation
        return try read { connection in
            let row = try cached ?? Self.row(entity, reference.key, plan, connection)
            guard let row, entity.layout.treeNumbers.contains(row.plan.layout.number) else { return nil }
            if cached == nil { cache.insert(CollectionOfOne(row), generation: generation) }
            return try RecordReader(connection, plan, isBulk: false).record(row)
        }
    }

    /// Calls the body with every object of exactly this entity, in one snapshot; nothing goes into the cache.
    /// - Throws: `StoreError`, and what the body throws.
    public func forEachObject(of entity: String, _ body: (ObjectRecord) throws -> Void) throws {
        var query = ObjectQuery(entity: entity)
        query.includesSubentities = false
        let fetch = try FetchPlan.compile(query, plan)
        try read { connection in
            let reader = RecordReader(connection, plan, isBulk: true)
            try Self.forEachRow(fetch, connection) { try body(try reader.record($0)) }
        }
    }

    /// Calls the body with the objects of exactly this entity whose keys lie above `key` and not above `last`, by key, in
    /// one snapshot, until it returns false; nothing goes into the cache.
    /// - Throws: `StoreError`, and what the body throws.
    public func forEachObject(
        of entity: String, after key: Int64, through last: Int64, _ body: (ObjectRecord) throws -> Bool
    ) throws {
        let layout = try plan.entity(entity).layout
        let select = SelectPlan([try plan.entity(entity)])
        try read { connection in
            let reader = RecordReader(connection, plan, isBulk: false)
            let rows = try connection.prepare(
                """
                SELECT \(select.list("t")) FROM \(layout.table.sqlIdentifier) t
                WHERE t.Z_ENT = \(layout.number) AND t.Z_PK > ? AND t.Z_PK <= ? ORDER BY t.Z_PK
                """)
            rows.bind([.integer(key), .integer(last)])
            while try rows.step() {
                guard let row = StoredRow.read(rows, select) else { continue }
                guard try body(try reader.record(row)) else { return }
            }
        }
    }
}
