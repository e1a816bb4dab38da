import Foundation
import SQLite
import StoreFormat

extension NSManagedObjectContext: PendingChanges {
    /// The instance that the context is on.
    public var stackInstance: any StackInstance { instance }

    /// The unsaved changes as a batch, conflicts with what others committed settled by the merge policy.
    /// - Throws: `StoreError`: `VersionConflict`, `ValidationFailed`, `DeleteDenied`, naming every object.
    public func pendingBatch() throws -> ObjectBatch {
        try locked {
            absorb()
            callWillSave()
            try validate()
            var work = ForwardWork(self)
            return ObjectBatch(try work.operations(), author: transactionAuthor, contextName: name)
        }
    }

    /// Takes the changes as saved by the other stack: new objects get their identities, all others are read anew.
    public func settleForwarded(_ result: SaveResult) {
        locked {
            let (inserted, updated, deleted) = (pendingInserted, pendingUpdated, Array(deletedList))
            for object in inserted { settle(object, result.objects[ForwardWork.name(object.id)]) }
            for object in updated { readAnew(object) }
            for object in deleted {
                instance.cache.remove(root: object.info.rootIndex, key: object.id.key)
                forget(object)
            }
            insertedList = []
            newObjects = [:]
            for object in updatedList { object.flags.remove(.updated) }
            updatedList = []
            deletedList = []
            expectations = [:]
            ruleEffects.clear()
            for list in [inserted, updated, deleted] {
                for object in list { object.didSave() }
            }
        }
        // What came is committed: without a connection it is read when it is next replayed.
        try? instance.replay()
        locked { absorb() }
    }

    private func settle(_ object: NSManagedObject, _ reference: ObjectReference?) {
        permanentKeys[object.id.key] = nil
        guard let reference else { return forget(object) }
        object.id = NSManagedObjectID(object.info, key: reference.key)
        object.flags.subtract([.inserted, .updated])
        register(object)
        readAnew(object)
    }

    private func readAnew(_ object: NSManagedObject) {
        instance.cache.remove(root: object.info.rootIndex, key: object.id.key)
        turnIntoFault(object)
    }
}

/// Turns a context's unsaved changes into a batch for the other stack.
private struct ForwardWork {
    private let context: NSManagedObjectContext
    private var conflicts: [StoreError.Offence] = []

    init(_ context: NSManagedObjectContext) {
        self.context = context
    }

    /// What a new object is called in the batch.
    static func name(_ id: NSManagedObjectID) -> String { "\(id.schemaEntity.name) \(id.key)" }

    mutating func operations() throws -> [ObjectBatch.Operation] {
        var operations: [ObjectBatch.Operation] = []
        for object in context.pendingInserted {
            let values = try values(object, Array(object.slots.indices))
            operations.append(.insert(entity: object.info.name, name: Self.name(object.id), values: values))
        }
        for object in context.pendingUpdated
        where object.hasPersistentChangedValues && !context.ruleEffects.explain(object) {
            if let operation = try update(object) { operations.append(operation) }
        }
        // What rules delete, the rules of the stack that saves will delete.
        for object in context.deletedList where !context.ruleEffects.deleted.contains(object.id.rowKey) {
            if let operation = try delete(object) { operations.append(operation) }
        }
        guard conflicts.isEmpty else {
            throw StoreError(
                .versionConflict, conflicts.prefix(10).map { "\($0.object): \($0.reason)" }.joined(separator: "; "),
                way: "refresh the objects, or set another merge policy, and forward again", objects: conflicts)
        }
        return operations
    }

    // MARK: Conflicts

    private func current(_ object: NSManagedObject) throws -> Row? {
        try context.instance.read { try RowReader.row(object.info, object.id.key, $0) }
    }

    private mutating func conflict(_ object: NSManagedObject, _ current: Row?) {
        let held = object.row?.version ?? 0
        conflicts.append(
            .init(
                object: object.id.shown,
                reason: current.map { "it was read at version \(held), and is at \($0.version)" } ?? "it was deleted"))
    }

    private mutating func update(_ object: NSManagedObject) throws -> ObjectBatch.Operation? {
        let policy = context.mergePolicy.kind
        let isGivenUp = policy == .rollback || policy == .storeTrump
        guard let current = try current(object) else {
            if !isGivenUp { conflict(object, nil) }
            return nil
        }
        var slots = object.slots.indices.filter { object.slots[$0].isChange }
        let row = object.row
        if let row, !current.hasSameValues(as: row), slots.contains(where: { !columns(object, $0).isEmpty }) {
            switch policy {
            case .error:
                conflict(object, current)
                return nil
            case .rollback: return nil
            case .storeTrump:
                slots.removeAll { slot in
                    columns(object, slot).contains { !current.values[$0].isSame(as: row.values[$0]) }
                }
            case .objectTrump: break
            case .overwrite:
                slots = object.slots.indices.filter {
                    object.slots[$0].isChange || isWhole(object.info.properties[$0])
                }
            }
        }
        let values = try values(object, slots)
        let reference = ObjectReference(entity: object.info.name, key: object.id.key)
        return values.isEmpty ? nil : .update(reference, values: values, expecting: current.version)
    }

    private mutating func delete(_ object: NSManagedObject) throws -> ObjectBatch.Operation? {
        guard let current = try current(object) else { return nil }
        let policy = context.mergePolicy.kind
        if let row = object.row, !current.hasSameValues(as: row), policy != .objectTrump, policy != .overwrite {
            conflict(object, current)
            return nil
        }
        return .delete(object.id.shown, expecting: current.version)
    }

    /// The columns of the object's own row that a property has.
    private func columns(_ object: NSManagedObject, _ slot: Int) -> [Int] {
        switch object.info.properties[slot] {
        case .transient, .fetched: return []
        case .attribute(let attribute): return attribute.layout.leaves.compactMap(\.column)
        case .relationship(let relationship):
            guard case .toOne(let key) = relationship.layout.storage else { return [] }
            return [key.column]
        }
    }

    /// Whether a policy that writes an object whole writes this property.
    private func isWhole(_ property: SchemaProperty) -> Bool {
        switch property {
        case .attribute(let attribute): !attribute.isDerived
        case .relationship(let relationship): !relationship.isToMany
        case .transient, .fetched: false
        }
    }

    // MARK: Values

    private func values(_ object: NSManagedObject, _ slots: [Int]) throws -> [String: ObjectBatch.Input] {
        var values: [String: ObjectBatch.Input] = [:]
        for slot in slots {
            if case .invalid(let error) = object.slots[slot] { throw error }
            switch object.info.properties[slot] {
            case .transient, .fetched: break
            case .attribute(let attribute):
                guard !attribute.isDerived else { continue }
                values[attribute.layout.name] = .attribute(object.attributeValue(attribute, slot))
            case .relationship(let relationship) where relationship.isToMany:
                values[relationship.name] = try members(object, slot, relationship)
            case .relationship(let relationship):
                values[relationship.name] = .toOne(object.toOneID(slot, relationship).map(target))
            }
        }
        return values
    }

    private func target(_ id: NSManagedObjectID) -> ObjectBatch.Target {
        if id.isTemporaryID { return .new(Self.name(id)) }
        return .existing(ObjectReference(entity: id.schemaEntity.name, key: id.key))
    }

    /// The members that a changed to-many has, on top of those that are committed; nil where the other end's to-one says
    /// it.
    private func members(
        _ object: NSManagedObject, _ slot: Int, _ relationship: SchemaRelationship
    ) throws -> ObjectBatch.Input? {
        guard case .many(let state) = object.slots[slot], state.isChanged else { return nil }
        if case .toManyByInverse = relationship.layout.storage, state.order == nil { return nil }
        let saved =
            try object.id.isTemporaryID
            ? [] : context.instance.read { try context.savedMembers(object.id.key, relationship, $0) }
        let kept = saved.filter { !state.removed.contains($0) }
        let known = Set(kept)
        var members = kept + state.added.filter { !known.contains($0) }
        if let order = state.order {
            let all = Set(members)
            let ordered = order.filter { all.contains($0) }
            let placed = Set(ordered)
            members = ordered + members.filter { !placed.contains($0) }
        }
        let deleted = Set(context.deletedList.map(\.id))
        return .toMany(members.filter { !deleted.contains($0) }.map(target))
    }
}
