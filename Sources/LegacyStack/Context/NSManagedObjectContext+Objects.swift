import Foundation
import SQLite
import StoreFormat

extension NSManagedObjectContext {
    // MARK: Finding

    /// The object of an identity, without looking whether it exists; one that does not, or is of another store, reads as
    /// empty.
    public func object(with id: NSManagedObjectID) -> NSManagedObject {
        locked {
            guard let own = own(id) else { return stranger(id) }
            return registeredObject(own.rowKey) ?? makeObject(concrete(own))
        }
    }

    /// The object of an identity, if it is registered here.
    public func registeredObject(for id: NSManagedObjectID) -> NSManagedObject? {
        locked { own(id).flatMap { registeredObject($0.rowKey) } }
    }

    /// The identity in this store's own terms; nil for an object of another store.
    private func own(_ id: NSManagedObjectID) -> NSManagedObjectID? {
        let schema = instance.schema
        if schema[id.schemaEntity.name] === id.schemaEntity { return id }
        guard id.schemaEntity.storeUUID == schema.storeUUID else { return nil }
        return schema[id.schemaEntity.name].map { NSManagedObjectID($0, key: id.key) }
    }

    /// What stands for an object of another store: in no context, and without values.
    private func stranger(_ id: NSManagedObjectID) -> NSManagedObject {
        storedFaultError = otherStore(id)
        let object = detachedObject(id)
        object.flags.insert(.gone)
        object.link = nil
        return object
    }

    private func otherStore(_ id: NSManagedObjectID) -> StoreError {
        StoreError(
            .otherStore, "\(id) is an object of another store than \(instance.store.path)",
            way: "fetch the object from this store")
    }

    /// The object of an identity, with its row read.
    /// - Throws: `StoreError`: `UnknownObject` where there is none, `OtherStore` for an identity of another store.
    public func existingObject(with id: NSManagedObjectID) throws -> NSManagedObject {
        try locked {
            absorb()
            guard own(id) != nil else { throw otherStore(id) }
            let object = object(with: id)
            if object.flags.contains(.inserted) { return object }
            if object.row == nil {
                object.row = try readRow(object.id)
                if object.row == nil { object.flags.insert(.gone) }
            }
            guard object.row != nil, !object.flags.contains(.gone) else {
                throw StoreError(
                    .unknownObject, "there is no object \(id.shown)", way: "it may have been deleted: fetch again")
            }
            return object
        }
    }

    /// An identity without its row's entity known exactly gets it from the row.
    private func concrete(_ id: NSManagedObjectID) -> NSManagedObjectID {
        guard id.schemaEntity.isAbstractOrShared, id.key > 0 else { return id }
        if let row = instance.cache.row(root: id.schemaEntity.rootIndex, key: id.key) {
            return NSManagedObjectID(instance.schema.entities[row.entity], key: id.key)
        }
        let found = try? instance.read { try instance.concreteEntity(id.schemaEntity, id.key, $0) }
        return found.flatMap { $0 }.map { NSManagedObjectID($0, key: id.key) } ?? id
    }

    /// The identity that a URI names; nil where it is none of this store.
    public func objectID(for uri: URL) -> NSManagedObjectID? {
        guard let (entity, key) = ObjectURI.key(uri.absoluteString, instance.schema), let key else { return nil }
        return concrete(NSManagedObjectID(entity, key: key))
    }

    /// The identity of a record's object.
    /// - Throws: `StoreError` `UnknownEntity`.
    public func objectID(for reference: ObjectReference) throws -> NSManagedObjectID {
        concrete(NSManagedObjectID(try instance.schema.entity(reference.entity), key: reference.key))
    }

    // MARK: Rows

    func readRow(_ id: NSManagedObjectID) throws -> Row? {
        let cache = instance.cache
        if !readsFresh, let row = cache.row(root: id.schemaEntity.rootIndex, key: id.key),
            row.entity == id.schemaEntity.index
        {
            return row
        }
        let generation = cache.generation
        let row = try instance.read { try RowReader.row(id.schemaEntity, id.key, $0) }
        if let row { cache.insert([(id.schemaEntity.rootIndex, id.key, row)], generation: generation) }
        return row
    }

    /// Reads a fault's row. Where that fails, the object is a fault as before, and the next look at it tries again.
    func fill(_ object: NSManagedObject) {
        locked {
            do {
                try read(object)
            } catch {
                storedFaultError = error
                object.flags.insert(.fault)
            }
        }
    }

    /// Notes why a property read as empty.
    func note(_ error: any Error) {
        locked { storedFaultError = error }
    }

    /// Reads the row of an object that has none yet.
    /// - Throws: `StoreError`: why it cannot be read.
    func read(_ object: NSManagedObject) throws {
        try locked {
            object.row = try readRow(object.id)
            if object.row == nil { object.flags.insert(.gone) }
        }
    }

    /// The members of a to-many as the store has them.
    func savedMembers(of object: NSManagedObject, _ relationship: SchemaRelationship) -> [NSManagedObjectID] {
        guard object.id.key > 0 else { return [] }
        do {
            return try instance.read { try savedMembers(object.id.key, relationship, $0) }
        } catch {
            note(error)
            return []
        }
    }

    func savedMembers(
        _ key: Int64, _ relationship: SchemaRelationship, _ connection: Connection
    ) throws -> [NSManagedObjectID] {
        var members: [NSManagedObjectID] = []
        try connection.cached(relationship.memberSQL).forEach([.integer(key)]) { row in
            if let entity = instance.schema[number: row.integer(1)] {
                members.append(NSManagedObjectID(entity, key: row.integer(0)))
            }
        }
        return members
    }

    // MARK: What is here

    /// The objects that are held by somebody.
    public var registeredObjects: Set<NSManagedObject> {
        locked { Set(registered.flatMap { $0.values.compactMap(\.object) }).union(newObjects.values) }
    }

    /// Objects to be inserted by the next save.
    public var insertedObjects: Set<NSManagedObject> { locked { Set(pendingInserted) } }
    /// Objects to be updated by the next save.
    public var updatedObjects: Set<NSManagedObject> { locked { Set(pendingUpdated) } }
    /// Objects to be deleted by the next save.
    public var deletedObjects: Set<NSManagedObject> { locked { Set(deletedList) } }
    /// Whether there is something to save.
    public var hasChanges: Bool {
        locked {
            !deletedList.isEmpty || !pendingInserted.isEmpty
                || pendingUpdated.contains { $0.hasPersistentChangedValues }
        }
    }

    var pendingInserted: [NSManagedObject] { insertedList.filter { $0.flags.contains(.inserted) } }
    var pendingUpdated: [NSManagedObject] {
        updatedList.filter { $0.flags.contains(.updated) && !$0.flags.contains(.deleted) }
    }

    // MARK: Refreshing

    /// Reads an object anew when it is next asked for.
    /// - Parameter mergeChanges: whether its unsaved changes stay.
    public func refresh(_ object: NSManagedObject, mergeChanges: Bool) {
        locked {
            guard !object.flags.contains(.inserted), !object.flags.contains(.deleted) else { return }
            instance.cache.remove(root: object.info.rootIndex, key: object.id.key)
            if mergeChanges, object.flags.contains(.updated) {
                object.row = nil
                object.extras?.fetched = [:]
                object.flags.remove(.gone)
                fill(object)
            } else {
                turnIntoFault(object)
            }
        }
    }

    /// The same for all registered objects, with their unsaved changes kept.
    public func refreshAllObjects() {
        locked {
            for object in registeredObjects { refresh(object, mergeChanges: true) }
        }
    }

    func turnIntoFault(_ object: NSManagedObject) {
        object.willTurnIntoFault()
        object.row = nil
        object.outdated = nil
        object.slots = []
        object.extras = nil
        object.flags.subtract([.updated, .gone])
        object.flags.insert(.fault)
        object.didTurnIntoFault()
    }

    /// Gives up all unsaved changes.
    public func rollback() {
        locked {
            for object in pendingInserted { forget(object) }
            for object in updatedList where object.flags.contains(.updated) { turnIntoFault(object) }
            for object in deletedList {
                object.flags.remove(.deleted)
                turnIntoFault(object)
            }
            insertedList = []
            updatedList = []
            deletedList = []
            expectations = [:]
            ruleEffects.clear()
        }
    }

    /// Lets go of all objects, with their unsaved changes.
    public func reset() {
        locked {
            for object in registeredObjects { object.leave() }
            registered = Array(repeating: [:], count: registered.count)
            newObjects = [:]
            permanentKeys = [:]
            insertedList = []
            updatedList = []
            deletedList = []
            expectations = [:]
            ruleEffects.clear()
        }
    }

    /// Takes an object out of the context.
    func forget(_ object: NSManagedObject) {
        if object.id.isTemporaryID {
            newObjects[object.id.key] = nil
        } else {
            registered[object.id.schemaEntity.rootIndex][object.id.key] = nil
        }
        object.flags.subtract([.inserted, .updated])
        object.leave()
    }
}
