import SQLite
import StoreFormat

extension StoreBridge {
    /// Compares what the two stacks read.
    public var comparison: Comparison {
        guard readOnlyReason == nil else { return Comparison(legacy: legacy, model: model, whileNobodyWrites: nil) }
        return Comparison(
            legacy: legacy, model: model,
            whileNobodyWrites: { body in try self.maintain { try $0.transaction(.immediate, body) } })
    }

    /// Compares every object of the entities, each exactly.
    /// - Parameters:
    ///   - limit: how many differing objects the result describes.
    ///   - progress: told after each batch; what it throws ends the comparison.
    public func compare(
        entities: [String], limit: Int = Comparison.limit, progress: (Comparison.Progress) throws -> Void = { _ in }
    ) throws -> Comparison.Result {
        let store = store
        let layouts = try entities.map { try store.layout.entity($0) }.filter { !$0.isAbstract }
        let counts = try read { try RowCounts.read($0, store: store) }
        var state = Comparison.Progress(done: 0, total: layouts.reduce(0) { $0 + Int(counts[$1.number] ?? 0) })
        var result = Comparison.Result()
        for layout in layouts {
            let one = try comparison.compare(entity: layout.name, limit: limit) { rows in
                state.done += rows
                try progress(state)
            }
            result.add(one, limit: limit)
        }
        return result
    }

    /// Compares the entity's objects, those of its subentities included: all, or a random sample of at most so many.
    /// - Throws: `StoreError` `UnknownEntity`.
    public func compare(
        _ entity: String, sample: Int? = nil, progress: (Comparison.Progress) throws -> Void = { _ in }
    ) throws -> Comparison.Result {
        let layout = try store.layout.entity(entity)
        guard let sample else { return try compare(entities: layout.treeNames, progress: progress) }
        let objects = try self.sample(layout, count: sample)
        var result = Comparison.Result()
        for (i, object) in objects.enumerated() {
            result.rows += 1
            result.add(try comparison.compare(object), limit: Comparison.limit)
            if i % Comparison.batch.objects == 0 { try progress(.init(done: i + 1, total: objects.count)) }
        }
        return result
    }

    /// Objects that the file has, each as likely as any other, by entity and key.
    private func sample(_ entity: EntityLayout, count: Int) throws -> [ObjectReference] {
        let numbers = entity.treeNumbers.map(String.init).joined(separator: ", ")
        let sql = """
            SELECT Z_ENT, Z_PK FROM \(entity.table.sqlIdentifier) WHERE Z_ENT IN (\(numbers)) ORDER BY random() LIMIT ?
            """
        let rows = try read { try $0.query(sql, [.integer(Int64(count))]) }
        return rows.compactMap { row in
            guard let name = row[0].integerValue.flatMap({ store.layout[number: $0]?.name }),
                let key = row[1].integerValue
            else { return nil }
            return ObjectReference(entity: name, key: key)
        }.sorted()
    }
}
