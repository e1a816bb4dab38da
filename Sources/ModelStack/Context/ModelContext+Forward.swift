import Foundation
import SQLite
import StoreFormat

extension ModelContext: PendingChanges {
    /// The instance that the context is on.
    public var stackInstance: any StackInstance { container.instance }

    /// The unsaved changes as a batch.
    /// - Throws: `StoreError` `VersionConflict`, naming every object that others changed since it was read.
    public func pendingBatch() throws -> ObjectBatch {
        objects.syncIfNeeded()
        if let error = objects.deferredError {
            objects.deferredError = nil
            throw error
        }
        var work = ForwardWork(objects)
        return ObjectBatch(try work.operations(), author: author, contextName: name)
    }

    /// Takes the changes as saved by the other stack: new objects get their identities, all others are read anew.
    public func settleForwarded(_ result: SaveResult) {
        objects.settleForwarded(result)
        // What came is committed: without a connection it is read when it is next replayed.
        try? container.instance.replay()
        objects.syncIfNeeded()
    }
}

extension ObjectContext {
    func settleForwarded(_ result: SaveResult) {
        var keys: [Int64: ObjectKey] = [:]
        // The objects are told while their context still keeps them: with the end of that, models may go.
        for backing in pending {
            if let key = settle(backing, result) { keys[key.temporary] = key.permanent }
        }
        finishSave(keys)
    }

    /// - Returns: a new object's key before and now.
    private func settle(
        _ backing: ModelBacking, _ result: SaveResult
    ) -> (temporary: Int64, permanent: ObjectKey)? {
        guard let entity = backing.entity else { return nil }
        var key: (temporary: Int64, permanent: ObjectKey)?
        switch backing.state {
        case .inserted:
            guard let reference = result.objects[ForwardWork.name(backing)] else { return nil }
            key = (backing.key, ObjectKey(entity: Int32(entity.index), key: reference.key))
            rekey(backing, to: reference.key)
            backing.state = .persistent
        case .deleted: backing.state = .gone
        case .persistent: break
        case .detached, .gone: return nil
        }
        instance.cache.remove(root: entity.root, key: backing.key)
        backing.values = []
        backing.isStale = true
        for i in backing.toManys.indices {
            backing.toManys[i] = ToManyState()
        }
        refreshFromStore(backing)
        notify(backing)
        return key
    }
}

/// Turns a context's unsaved changes into a batch for the other stack.
private struct ForwardWork {
    private let context: ObjectContext
    private var conflicts: [StoreError.Offence] = []
    /// To-manys without an inverse of which an element's key changed, by their owner.
    private var ownersOfKeys: [RowPlace: Set<String>] = [:]

    init(_ context: ObjectContext) {
        self.context = context
    }

    /// What a new object is called in the batch.
    static func name(_ backing: ModelBacking) -> String { "\(backing.entity?.name ?? "") \(backing.key)" }

    mutating func operations() throws -> [ObjectBatch.Operation] {
        var operations: [ObjectBatch.Operation] = []
        for backing in context.pending {
            guard let entity = backing.entity else { continue }
            switch backing.state {
            case .inserted:
                operations.append(
                    .insert(entity: entity.name, name: Self.name(backing), values: try values(backing, entity)))
            case .persistent:
                let isChanged = context.isChanged(backing)
                let values = isChanged ? try values(backing, entity) : [:]
                guard isChanged, let version = try check(backing, entity), !values.isEmpty else { continue }
                operations.append(.update(backing.reference, values: values, expecting: version))
            case .deleted:
                guard try exists(backing, entity), let version = try check(backing, entity) else { continue }
                operations.append(.delete(backing.reference, expecting: version))
            case .detached, .gone: continue
            }
        }
        operations += try owners()
        guard let first = conflicts.first else { return operations }
        throw StoreError(
            .versionConflict,
            "\(first.object) \(first.reason)" + (conflicts.count > 1 ? "; and \(conflicts.count - 1) more" : ""),
            way: "refresh, or roll back, and forward again", objects: conflicts)
    }

    // MARK: Conflicts

    /// A row as it is committed now.
    private func current(_ backing: ModelBacking, _ entity: EntityPlan) throws -> StoredRow? {
        try context.instance.read(inSnapshot: false) {
            try ModelInstance.row(entity, backing.key, context.plan, $0)
        }
    }

    private func exists(_ backing: ModelBacking, _ entity: EntityPlan) throws -> Bool {
        try current(backing, entity) != nil
    }

    /// The version that the row has now; nil, with the conflict noted, if somebody else changed it since it was read.
    private mutating func check(_ backing: ModelBacking, _ entity: EntityPlan) throws -> Int64? {
        let seen = backing.row
        let current = try current(backing, entity)
        if let current, let seen, current.hasSameValues(as: seen) { return current.version }
        conflicts.append(
            .init(
                object: backing.reference,
                reason: current.map {
                    "was changed since it was read: version \(seen?.version ?? 0) was seen, it is at version \($0.version)"
                } ?? "was deleted since it was read"))
        return nil
    }

    // MARK: Values

    private mutating func values(
        _ backing: ModelBacking, _ entity: EntityPlan
    ) throws -> [String: ObjectBatch.Input] {
        let isNew = backing.state == .inserted
        var values: [String: ObjectBatch.Input] = [:]
        func isChanged(_ slot: Int) -> Bool {
            isNew || !backing.value(slot).isStored(as: backing.original(slot))
        }
        for property in entity.properties {
            switch property.kind {
            case .attribute(let attribute):
                let slots = property.slot..<property.slot + attribute.leaves.count
                guard !attribute.description.isDerived, slots.contains(where: isChanged) else { continue }
                values[property.name] = .attribute(try value(backing, attribute, property.slot))
            case .toOne(let relationship, _):
                guard isChanged(property.slot) else { continue }
                let key = backing.value(property.slot).integerValue
                if isNew, key == nil { continue }
                values[property.name] = .toOne(try key.map { try target(context.plan.destination(relationship), $0) })
            case .toMany(let relationship, let index):
                guard let state = backing.toManys[safe: index], state.isChanged else { continue }
                values[property.name] = .toMany(try elements(backing, property, relationship))
            }
        }
        for (name, slot) in entity.ownerSlots where isChanged(slot.key) {
            guard let dot = name.firstIndex(of: "."), let owner = context.plan[String(name[..<dot])] else { continue }
            for key in [backing.original(slot.key).integerValue, backing.value(slot.key).integerValue] {
                guard let key else { continue }
                let relationship = String(name[name.index(after: dot)...])
                ownersOfKeys[RowPlace(root: owner.root, key: key), default: []].insert(relationship)
            }
        }
        return values
    }

    private func value(_ backing: ModelBacking, _ attribute: AttributePlan, _ slot: Int) throws -> AttributeValue? {
        if let leaf = attribute.leaf { return try value(backing.value(slot), leaf) }
        var elements: [String: AttributeValue] = [:]
        for (i, leaf) in attribute.leaves.enumerated() {
            if let value = try value(backing.value(slot + i), leaf) { elements[leaf.name] = value }
        }
        return elements.isEmpty ? nil : .composite(elements)
    }

    /// The value of a slot: external data stands there without its prefix.
    private func value(_ raw: SQLValue, _ leaf: LeafLayout) throws -> AttributeValue? {
        guard leaf.isExternal else {
            return ValueCoding.decode(raw, as: leaf, external: context.plan.store.externalData)
        }
        switch raw {
        case .null: return nil
        case .blob(let bytes): return .data(Data(bytes))
        default:
            throw StoreError(
                .externalData, "\(leaf.path): its external file is missing", way: "set the value, or leave it alone")
        }
    }

    private func target(_ entity: EntityPlan, _ key: Int64) throws -> ObjectBatch.Target {
        if key < 0 {
            guard let new = context.registeredObject(entity.root, key) else {
                throw StoreError(
                    .unknownObject, "a new \(entity.name) that is led to has been given up", way: "set it anew")
            }
            return .new(Self.name(new))
        }
        return .existing(ObjectReference(entity: entity.name, key: key))
    }

    /// A to-many's elements with the changes of this context, on top of those that are committed.
    private func elements(
        _ backing: ModelBacking, _ property: PropertyPlan, _ relationship: RelationshipPlan
    ) throws -> [ObjectBatch.Target] {
        var keys = try context.freshElements(backing, relationship, property)
        if relationship.isOrdered, case .toMany(_, let index) = property.kind,
            let order = backing.toManys[safe: index]?.elements
        {
            let all = Set(keys)
            let ordered = order.filter { all.contains($0) }
            let placed = Set(ordered)
            keys = ordered + keys.filter { !placed.contains($0) }
        }
        let present = keys.filter { key in
            let root = context.plan.entities[Int(key.entity)].root
            return context.registeredObject(root, key.key)?.state != .deleted
        }
        return try present.map { try target(context.plan.entities[Int($0.entity)], $0.key) }
    }

    /// The to-manys without an inverse whose elements' keys changed: in the batch their owners say it.
    private func owners() throws -> [ObjectBatch.Operation] {
        var operations: [ObjectBatch.Operation] = []
        for (place, names) in ownersOfKeys.sorted(by: { $0.key.key < $1.key.key }) {
            guard let entity = context.plan.entities.first(where: { $0.root == place.root }),
                let owner = try context.object(entity, place.key), owner.state == .persistent,
                let own = owner.entity
            else { continue }
            var values: [String: ObjectBatch.Input] = [:]
            for name in names {
                let property = try own.property(name)
                guard case .toMany(let relationship, _) = property.kind else { continue }
                values[name] = .toMany(try elements(owner, property, relationship))
            }
            operations.append(.update(owner.reference, values: values, expecting: nil))
        }
        return operations
    }
}
