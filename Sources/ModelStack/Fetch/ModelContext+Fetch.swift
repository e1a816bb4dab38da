import Foundation
import SQLite
import StoreFormat

extension ModelContext {
    /// The objects that the descriptor asks for.
    /// - Throws: `StoreError`: `BadPredicate` for a part that has no SQL, named; what reading throws.
    public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
        objects.syncIfNeeded()
        let pending = descriptor.includePendingChanges ? try pendingModels(T.self) : []
        let plan = try plan(descriptor, isPaged: pending.isEmpty)
        let rows = try container.instance.rows(plan)
        objects.reserve(plan.entity.root, rows.count)
        guard !pending.isEmpty else {
            var models: [T] = []
            models.reserveCapacity(rows.count)
            for row in rows {
                if let model = model(row, T.self) { models.append(model) }
            }
            return models
        }
        return try merge(rows, pending, descriptor)
    }

    /// How many objects the descriptor asks for.
    public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
        objects.syncIfNeeded()
        if descriptor.includePendingChanges, try !pendingModels(T.self).isEmpty { return try fetch(descriptor).count }
        let plan = try plan(descriptor, isPaged: true)
        return try container.instance.read { Int(try $0.scalar(plan.countSQL, plan.parameters)?.integerValue ?? 0) }
    }

    /// The identities of the objects that the descriptor asks for.
    public func fetchIdentifiers<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier]
    {
        objects.syncIfNeeded()
        if descriptor.includePendingChanges, try !pendingModels(T.self).isEmpty {
            return try fetch(descriptor).map(\.persistentModelID)
        }
        let plan = try plan(descriptor, isPaged: true)
        let instance = container.instance
        return try instance.read { connection in
            var result: [PersistentIdentifier] = []
            try connection.cached(plan.keysSQL).forEach(plan.parameters) { statement in
                guard let entity = instance.plan[number: statement.integer(1)] else { return }
                result.append(
                    PersistentIdentifier(
                        entityName: entity.name, storeIdentifier: instance.store.uuid, key: statement.integer(0)))
            }
            return result
        }
    }

    /// Calls the block for each object, a batch in memory at a time.
    public func enumerate<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, batchSize: Int = 5_000, allowEscapingMutations: Bool = false,
        block: (T) throws -> Void
    ) throws {
        var identifiers = try fetchIdentifiers(descriptor)[...]
        while !identifiers.isEmpty {
            let batch = identifiers.prefix(max(1, batchSize))
            identifiers = identifiers.dropFirst(batch.count)
            for id in batch {
                if let model = self[id, as: T.self] { try block(model) }
            }
        }
    }

    // MARK: Parts

    private func plan<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, isPaged: Bool) throws -> FetchPlan {
        let instance = container.instance
        let entity = try instance.plan.entity(T._$shape.name)
        try SortLimit.check(descriptor.sortBy.count)
        let query = QueryBuilder(instance.plan)
        let scope = query.scope(entity)
        let translator = PredicateTranslator(query, shapes: container.shapes)
        let condition = try descriptor.predicate.map { try translator.condition($0, scope) }
        let sort = try descriptor.sortBy.map { try translator.order($0, scope) }
        let limit = isPaged ? descriptor.fetchLimit : nil
        return FetchPlan(
            entity: entity, scope: scope, builder: query, plan: instance.plan, condition: condition, sort: sort,
            limit: limit.map { max(0, $0) }, offset: isPaged ? max(0, descriptor.fetchOffset ?? 0) : 0,
            includesSubentities: true)
    }

    private func model<T: PersistentModel>(_ row: StoredRow, _ type: T.Type) -> T? {
        let backing = objects.object(row)
        if let model = backing.model { return model as? T }
        let model = Materializing.run(type, backing)
        backing.model = model
        return model
    }

    private func pendingModels<T: PersistentModel>(_ type: T.Type) throws -> [T] {
        let name = T._$shape.name
        return objects.pending.filter { $0.entity?.name == name }.compactMap { objects.model($0) as? T }
    }

    /// Objects with changes are judged as they are in memory, all others as the store has them.
    private func merge<T: PersistentModel>(
        _ rows: [StoredRow], _ pending: [T], _ descriptor: FetchDescriptor<T>
    ) throws -> [T] {
        let changed = Set(pending.map { ObjectIdentifier($0) })
        var models = rows.compactMap { model($0, T.self) }.filter { !changed.contains(ObjectIdentifier($0)) }
        for object in pending where !object.isDeleted {
            if try descriptor.predicate?.evaluate(object) ?? true { models.append(object) }
        }
        if !descriptor.sortBy.isEmpty { models.sort(using: descriptor.sortBy) }
        let start = min(models.count, max(0, descriptor.fetchOffset ?? 0))
        let rest = models[start...]
        return Array(descriptor.fetchLimit.map { rest.prefix(max(0, $0)) } ?? rest)
    }
}
