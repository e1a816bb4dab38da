import Foundation
import StoreFormat

/// Batch requests run in a context of their own, on rows that are read fresh: what this context has not saved plays no
/// part. Every context of the store learns of the outcome, as it does of what other instances save.
extension NSManagedObjectContext {
    func execute(_ request: NSBatchDeleteRequest) throws -> NSBatchDeleteResult {
        let deleted = try inContextOfItsOwn { context in
            let objects: [NSManagedObject]
            switch request.source {
            case .fetch(let query): objects = try context.fetch(query.request())
            case .identities(let ids): objects = try ids.compactMap { try context.objectIfThere($0) }
            }
            for object in objects { context.delete(object) }
            return { context.deletedList.map(\.id) }
        }
        switch request.resultType {
        case .resultTypeStatusOnly: return NSBatchDeleteResult(NSNumber(value: true), request.resultType)
        case .resultTypeObjectIDs: return NSBatchDeleteResult(deleted, request.resultType)
        case .resultTypeCount: return NSBatchDeleteResult(NSNumber(value: deleted.count), request.resultType)
        }
    }

    func execute(_ request: NSBatchUpdateRequest) throws -> NSBatchUpdateResult {
        let updated = try inContextOfItsOwn { context in
            let values = try context.values(request.propertiesToUpdate ?? [:], of: request.entityName)
            let objects = try context.fetch(BatchQuery(request).request())
            for object in objects { object.setValuesForKeys(values) }
            let changed = objects.filter(\.hasPersistentChangedValues)
            return { changed.map(\.id) }
        }
        switch request.resultType {
        case .statusOnlyResultType: return NSBatchUpdateResult(NSNumber(value: true), request.resultType)
        case .updatedObjectIDsResultType: return NSBatchUpdateResult(updated, request.resultType)
        case .updatedObjectsCountResultType:
            return NSBatchUpdateResult(NSNumber(value: updated.count), request.resultType)
        }
    }

    func execute(_ request: NSBatchInsertRequest) throws -> NSBatchInsertResult {
        let inserted = try inContextOfItsOwn { context in
            let objects = try context.insert(request)
            // Their identities are permanent after the save only.
            return { objects.map(\.id) }
        }
        switch request.resultType {
        case .statusOnly: return NSBatchInsertResult(NSNumber(value: true), request.resultType)
        case .objectIDs: return NSBatchInsertResult(inserted, request.resultType)
        case .count: return NSBatchInsertResult(NSNumber(value: inserted.count), request.resultType)
        }
    }

    // MARK: Parts

    /// - Parameter body: makes the changes, and says how the identities of the objects are known after the save.
    private func inContextOfItsOwn(
        _ body: (NSManagedObjectContext) throws -> () -> [NSManagedObjectID]
    ) throws -> [NSManagedObjectID] {
        let context = instance.newContext()
        let (name, author) = (name, transactionAuthor)
        return try context.performAndWait {
            context.name = name
            context.transactionAuthor = author
            context.mergePolicy = .mergeByPropertyObjectTrump
            context.readsFresh = true
            context.tellsEveryContext = true
            let identities = try body(context)
            // A deleted object has no identity to ask for afterwards.
            let before = identities()
            try context.save()
            let after = identities()
            return after.isEmpty ? before : after
        }
    }

    private func objectIfThere(_ id: NSManagedObjectID) throws -> NSManagedObject? {
        do {
            return try existingObject(with: id)
        } catch let error as StoreError where error.code == .unknownObject {
            return nil
        }
    }

    /// The values by the entity's property names.
    private func values(_ given: [AnyHashable: Any], of entityName: String) throws -> [String: Any] {
        let entity = try instance.schema.entity(entityName)
        var values: [String: Any] = [:]
        for (key, value) in given {
            let name = (key.base as? NSPropertyDescription)?.name ?? "\(key.base)"
            guard let slot = entity.slots[name] else { throw entity.unknownKey(name) }
            values[name] = value
            if case .relationship(let relationship) = entity.properties[slot], !relationship.isToMany {
                // Objects of other contexts are known here by their identity.
                let id = (value as? NSManagedObject)?.objectID ?? value as? NSManagedObjectID
                if let id { values[name] = try existingObject(with: id) }
            }
        }
        return values
    }

    private func insert(_ request: NSBatchInsertRequest) throws -> [NSManagedObject] {
        let entity = try instance.schema.entity(request.entityName)
        guard !entity.layout.isAbstract else {
            throw StoreError(
                .validationFailed, "\(entity.name) is abstract and has no objects of its own",
                way: "insert one of \(entity.layout.treeNames.dropFirst().joined(separator: ", "))")
        }
        func make(_ values: [AnyHashable: Any]) throws -> NSManagedObject {
            let object = makeInserted(entity)
            object.setValuesForKeys(try self.values(values, of: entity.name))
            return object
        }
        switch request.source {
        case .dictionaries(let list): return try list.map { try make($0) }
        case .dictionaryHandler(let handler):
            var objects: [NSManagedObject] = []
            while true {
                let dictionary = NSMutableDictionary()
                if handler(dictionary) { return objects }
                var values: [AnyHashable: Any] = [:]
                for (key, value) in dictionary { if let key = key as? String { values[key] = value } }
                objects.append(try make(values))
            }
        case .objectHandler(let handler):
            var objects: [NSManagedObject] = []
            while true {
                let object = makeInserted(entity)
                if handler(object) {
                    forget(object)
                    return objects
                }
                objects.append(object)
            }
        }
    }
}
