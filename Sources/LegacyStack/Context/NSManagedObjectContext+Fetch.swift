import Foundation
import SQLite
import StoreFormat
import StoreModel

extension NSManagedObjectContext {
    /// The objects, identities or dictionaries that a request asks for.
    /// - Throws: `StoreError`: `UnknownEntity`, `UnknownKey`, `BadPredicate`, and what reading throws.
    public func fetch<T: NSFetchRequestResult>(_ request: NSFetchRequest<T>) throws -> [T] {
        try locked {
            absorb()
            let entity = try entity(of: request)
            if let type = T.self as? NSManagedObject.Type {
                instance.managedObjectModel.registerIfMissing(type, forEntityName: entity.name)
            }
            let results: [Any]
            switch request.resultType {
            case .managedObjectResultType:
                let objects = try objects(entity, request)
                if let same = objects as? [T] { return same }
                throw Self.mismatch(request, T.self)
            case .managedObjectIDResultType: results = try objects(entity, request).map(\.id)
            case .countResultType: results = [NSNumber(value: try count(entity, request))]
            case .dictionaryResultType: results = try dictionaries(entity, request)
            }
            guard let typed = results as? [T] else { throw Self.mismatch(request, T.self) }
            return typed
        }
    }

    private static func mismatch(_ request: Any, _ type: Any.Type) -> StoreError {
        StoreError(
            .typeMismatch, "the fetch's results are no \(type)",
            way: "set the request's resultType to fit, and register the class for the entity before the first fetch")
    }

    /// How many objects a request finds; limit and offset count.
    public func count<T>(for request: NSFetchRequest<T>) throws -> Int {
        try locked {
            absorb()
            return try count(try entity(of: request), request)
        }
    }

    func entity<T>(of request: NSFetchRequest<T>) throws -> SchemaEntity {
        if let name = request.entityName { return try instance.schema.entity(name) }
        if let type = T.self as? NSManagedObject.Type,
            let name = instance.managedObjectModel.entityName(of: type)
        {
            return try instance.schema.entity(name)
        }
        throw StoreError(.unknownEntity, "the fetch names no entity", way: "give an entityName")
    }

    private func count<T>(_ entity: SchemaEntity, _ request: NSFetchRequest<T>) throws -> Int {
        guard pending(entity, request).isEmpty else { return try objects(entity, request).count }
        let plan = try plan(entity, request, windowed: true)
        return try instance.read { connection in
            let statement = try connection.prepare(plan.countSQL)
            statement.bind(plan.values)
            return try statement.step() ? Int(statement.integer(0)) : 0
        }
    }

    private func plan<T>(_ entity: SchemaEntity, _ request: NSFetchRequest<T>, windowed: Bool) throws -> FetchPlan {
        try FetchPlan(
            entity, instance.schema, predicate: try request.predicate?.compilable(), sort: try sort(request),
            limit: windowed && request.fetchLimit > 0 ? request.fetchLimit : nil,
            offset: windowed ? request.fetchOffset : 0, includesSubentities: request.includesSubentities)
    }

    private func sort<T>(_ request: NSFetchRequest<T>) throws -> [FetchPlan.Sort] {
        try (request.sortDescriptors ?? []).map { descriptor in
            guard let key = descriptor.key else {
                throw StoreError(.badPredicate, "a sort descriptor has no key", way: "sort by a key path")
            }
            return FetchPlan.Sort(
                path: key, isAscending: descriptor.ascending,
                isCaseInsensitive: descriptor.textOrder == .caseInsensitive)
        }
    }

    /// Objects of the entity with unsaved changes, which the database cannot judge.
    private func pending<T>(_ entity: SchemaEntity, _ request: NSFetchRequest<T>) -> [NSManagedObject] {
        guard request.includesPendingChanges, !(insertedList.isEmpty && updatedList.isEmpty && deletedList.isEmpty)
        else {
            return []
        }
        return (pendingInserted + pendingUpdated + deletedList).filter {
            request.includesSubentities ? entity.isAncestor(of: $0.info) : $0.info === entity
        }
    }

    func objects<T>(_ entity: SchemaEntity, _ request: NSFetchRequest<T>) throws -> [NSManagedObject] {
        let pending = pending(entity, request)
        let plan = try plan(entity, request, windowed: pending.isEmpty)
        let found = try rows(
            plan, refreshing: request.shouldRefreshRefetchedObjects, fires: !request.returnsObjectsAsFaults)
        guard !pending.isEmpty else { return found }
        let dirty = Set(pending.map { ObjectIdentifier($0) })
        var result = found.filter { !dirty.contains(ObjectIdentifier($0)) }
        result += pending.filter { object in
            !object.flags.contains(.deleted) && request.predicate?.evaluate(with: object) ?? true
        }
        let keys = try sort(request)
        result = MemorySort(keys).sorted(result)
        let start = min(request.fetchOffset, result.count)
        let end = request.fetchLimit > 0 ? min(start + request.fetchLimit, result.count) : result.count
        return start == 0 && end == result.count ? result : Array(result[start..<end])
    }

    /// Runs a fetch: makes or finds an object for each row, and puts the rows into the cache.
    private func rows(_ plan: FetchPlan, refreshing: Bool, fires: Bool) throws -> [NSManagedObject] {
        let schema = instance.schema
        let columns = RowColumns(plan.entity, schema, includesSubentities: plan.includesSubentities)
        let root = plan.entity.rootIndex
        let generation = instance.cache.generation
        var objects: [NSManagedObject] = []
        var read: [(root: Int, key: Int64, row: Row)] = []
        try instance.read { connection in
            let sql = plan.rowSQL(columns)
            let statement = sql.utf8.count < 8_000 ? try connection.cached(sql) : try connection.prepare(sql)
            // Most fetches are of one entity: what belongs to it is looked up once.
            var lastNumber: Int64 = -1
            var entity = plan.entity
            var positions: [Int] = []
            var type = NSManagedObject.self
            try statement.forEach(plan.values) { row in
                let key = row.integer(0)
                let number = row.integer(1)
                if number != lastNumber {
                    guard let found = columns.entities[number] else { return }
                    (entity, positions) = found
                    type = instance.managedObjectModel.managedObjectClass(forEntityName: entity.name)
                    lastNumber = number
                }
                let known = registered[root][key]?.object
                if let known, !refreshing, known.row != nil, !known.flags.contains(.fault) {
                    return objects.append(known)
                }
                var values: [SQLValue] = []
                values.reserveCapacity(positions.count)
                for position in positions { values.append(row.value(3 + position)) }
                let fresh = Row(entity: entity.index, version: row.integer(2), values: values)
                read.append((root, key, fresh))
                let object = known ?? makeObject(NSManagedObjectID(entity, key: key), type)
                if object.flags.isDisjoint(with: [.updated, .deleted]) || object.row == nil {
                    object.row = fresh
                    object.outdated = nil
                }
                objects.append(object)
            }
        }
        if !instance.cache.insert(read, generation: generation) {
            // Something was invalidated while we read: what we have may be older.
            for object in objects where object.flags.isDisjoint(with: [.inserted, .updated, .deleted]) {
                turnIntoFault(object)
            }
        }
        if fires { for object in objects { object.prepareToRead() } }
        return objects
    }
}
