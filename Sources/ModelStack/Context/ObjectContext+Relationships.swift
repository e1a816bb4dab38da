import SQLite
import StoreFormat

extension ObjectContext {
    // MARK: Reading

    /// The destination of a to-one; nil where its row is gone.
    func toOne(_ backing: ModelBacking, _ property: PropertyPlan) throws -> ModelBacking? {
        guard case .toOne(let relationship, _) = property.kind, let key = backing.value(property.slot).integerValue,
            let destination = plan[relationship.description.destinationEntityName]
        else { return nil }
        guard let object = try object(destination, key), object.state != .gone else { return nil }
        return object
    }

    /// The elements of a to-many, changes included.
    func toMany(_ backing: ModelBacking, _ property: PropertyPlan) throws -> [ObjectKey] {
        guard case .toMany(let relationship, let index) = property.kind, let entity = backing.entity else { return [] }
        if backing.toManys.isEmpty {
            backing.toManys = Array(repeating: ToManyState(), count: entity.toManyCount)
        }
        if let known = backing.toManys[index].elements { return known }
        let elements = try freshElements(backing, relationship, property)
        backing.toManys[index].elements = elements
        return elements
    }

    /// The same, whatever is loaded: what is committed, with this context's changes.
    func freshElements(
        _ backing: ModelBacking, _ relationship: RelationshipPlan, _ property: PropertyPlan
    ) throws -> [ObjectKey] {
        guard case .toMany(_, let index) = property.kind else { return [] }
        var elements = try storedElements(relationship, owner: backing.key)
        switch relationship.storage {
        case .manyToMany:
            let state = backing.toManys[safe: index] ?? ToManyState()
            elements.removeAll { state.removed.contains($0) }
            let present = Set(elements)
            elements += state.added.filter { !present.contains($0) }.sorted { $0.key < $1.key }
        default: adjust(&elements, relationship, owner: backing)
        }
        return elements
    }

    private func storedElements(_ relationship: RelationshipPlan, owner: Int64) throws -> [ObjectKey] {
        guard owner > 0, let query = relationship.toManyQuery(plan) else { return [] }
        var elements: [ObjectKey] = []
        try instance.read { connection in
            try connection.cached(query.oneSQL).forEach([.integer(owner)]) { statement in
                guard let entity = plan[number: statement.integer(1)] else { return }
                elements.append(ObjectKey(entity: Int32(entity.index), key: statement.integer(0)))
            }
        }
        return elements
    }

    /// Puts pending changes of the destinations' keys into elements as the store has them.
    private func adjust(_ elements: inout [ObjectKey], _ relationship: RelationshipPlan, owner: ModelBacking) {
        guard let destination = plan[relationship.description.destinationEntityName] else { return }
        var position: [ObjectKey: Int]?
        for object in pending where object.entity?.root == destination.root && !object.values.isEmpty {
            guard let entity = object.entity, let slot = keySlot(of: relationship, in: entity) else { continue }
            let isElement = object.value(slot) == .integer(owner.key) && object.state != .deleted
            if position == nil {
                position = Dictionary(elements.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            }
            if isElement, position?[object.objectKey] == nil {
                elements.append(object.objectKey)
            } else if !isElement, position?[object.objectKey] != nil {
                elements.removeAll { $0 == object.objectKey }
            }
        }
    }

    /// The slot of a destination's row that holds the owner's key, for a to-many that lives there.
    func keySlot(of relationship: RelationshipPlan, in destination: EntityPlan) -> Int? {
        switch relationship.storage {
        case .toManyByInverse:
            relationship.description.inverseName.flatMap { destination.indexOfProperty($0) }
                .map { destination.properties[$0].slot }
        case .toManyWithoutInverse:
            destination.ownerSlots["\(relationship.declaringEntity).\(relationship.name)"]?.key
        default: nil
        }
    }

    // MARK: Writing

    /// Sets a to-one, and the other end with it.
    func setToOne(_ backing: ModelBacking, _ property: PropertyPlan, _ target: ModelBacking?) throws {
        guard case .toOne(let relationship, let slots) = property.kind else { return }
        let old = backing.value(property.slot).integerValue
        guard old != target?.key else { return }
        let inverse = try inverse(of: relationship)
        if case .toOne? = inverse?.kind { try unpair(backing, property, target, inverse) }
        let previous = try old.flatMap { try object(plan.destination(relationship), $0) }
        willChange(backing)
        backing.values[property.slot] = target.map { .integer($0.key) } ?? .null
        if let slot = slots.order { backing.values[slot] = .null }
        guard case .toMany(_, let index)? = inverse?.kind else { return }
        updateElements(of: previous, index) { elements in elements.removeAll { $0 == backing.objectKey } }
        updateElements(of: target, index) { elements in elements.append(backing.objectKey) }
    }

    /// Changes a loaded to-many of an object; one that is not loaded is put right when it is read.
    private func updateElements(of owner: ModelBacking?, _ index: Int, _ change: (inout [ObjectKey]) -> Void) {
        guard let owner, index < owner.toManys.count, owner.toManys[index].elements != nil else { return }
        var elements = owner.toManys[index].elements ?? []
        owner.toManys[index].elements = nil
        change(&elements)
        owner.toManys[index].elements = elements
        notify(owner)
    }

    /// One-to-one: the new partner's old partner and the old partner let go.
    private func unpair(
        _ backing: ModelBacking, _ property: PropertyPlan, _ target: ModelBacking?, _ inverse: PropertyPlan?
    ) throws {
        guard let inverse else { return }
        if let old = try toOne(backing, property), let back = old.entity?.indexOfProperty(inverse.name) {
            set(old, old.entity?.properties[back], nil)
        }
        guard let target, let back = target.entity?.indexOfProperty(inverse.name),
            let partner = target.entity?.properties[back]
        else { return }
        if let other = try toOne(target, partner), other !== backing,
            let own = other.entity?.indexOfProperty(property.name)
        {
            set(other, other.entity?.properties[own], nil)
        }
        set(target, partner, backing.key)
    }

    private func set(_ backing: ModelBacking, _ property: PropertyPlan?, _ key: Int64?) {
        guard let property else { return }
        willChange(backing)
        backing.values[property.slot] = key.map { .integer($0) } ?? .null
        notify(backing)
    }

    /// Replaces a to-many, and the other ends with it.
    func setToMany(_ backing: ModelBacking, _ property: PropertyPlan, _ targets: [ModelBacking]) throws {
        guard case .toMany(let relationship, let index) = property.kind else { return }
        let old = try toMany(backing, property)
        var seen: Set<ObjectKey> = []
        let targets = targets.filter { seen.insert($0.objectKey).inserted }
        let new = targets.map(\.objectKey)
        guard old != new else { return }
        let before = Set(old)
        let removed = try old.filter { !seen.contains($0) }.compactMap { try object($0) }
        let added = targets.filter { !before.contains($0.objectKey) }
        if !relationship.isOrdered, removed.isEmpty, added.isEmpty { return }
        willChange(backing)
        for object in removed { try unlink(backing, relationship, index, object) }
        for object in added { try link(backing, relationship, index, object) }
        backing.toManys[index].elements = new
        if relationship.isOrdered { backing.toManys[index].isReordered = true }
    }

    private func link(
        _ owner: ModelBacking, _ relationship: RelationshipPlan, _ index: Int, _ object: ModelBacking
    ) throws {
        guard let entity = object.entity else { return }
        switch relationship.storage {
        case .toManyByInverse:
            guard let name = relationship.description.inverseName else { return }
            try setToOne(object, try entity.property(name), owner)
        case .toManyWithoutInverse:
            guard let slot = keySlot(of: relationship, in: entity) else { return }
            if let old = object.value(slot).integerValue, let owning = owner.entity,
                let previous = registeredObject(owning.root, old), previous !== owner
            {
                updateElements(of: previous, index) { elements in elements.removeAll { $0 == object.objectKey } }
            }
            willChange(object)
            object.values[slot] = .integer(owner.key)
        case .manyToMany:
            change(owner, index) { $0.add(object.objectKey) }
            try mirror(owner, relationship, object) { $0.add(owner.objectKey) }
        // The save refuses it: forgotten here, it would be lost.
        case .absent: change(owner, index) { $0.add(object.objectKey) }
        case .toOne: break
        }
    }

    private func unlink(
        _ owner: ModelBacking, _ relationship: RelationshipPlan, _ index: Int, _ object: ModelBacking
    ) throws {
        guard let entity = object.entity else { return }
        switch relationship.storage {
        case .toManyByInverse:
            guard let name = relationship.description.inverseName else { return }
            try setToOne(object, try entity.property(name), nil)
        case .toManyWithoutInverse:
            guard let slot = keySlot(of: relationship, in: entity) else { return }
            willChange(object)
            object.values[slot] = .null
        case .manyToMany:
            change(owner, index) { $0.remove(object.objectKey) }
            try mirror(owner, relationship, object) { $0.remove(owner.objectKey) }
        case .absent: change(owner, index) { $0.remove(object.objectKey) }
        case .toOne: break
        }
    }

    private func change(_ backing: ModelBacking, _ index: Int, _ body: (inout ToManyState) -> Void) {
        willChange(backing)
        if backing.toManys.isEmpty {
            backing.toManys = Array(repeating: ToManyState(), count: backing.entity?.toManyCount ?? 0)
        }
        guard index < backing.toManys.count else { return }
        body(&backing.toManys[index])
    }

    /// The other end of a many-to-many.
    private func mirror(
        _ owner: ModelBacking, _ relationship: RelationshipPlan, _ object: ModelBacking,
        _ body: (inout ToManyState) -> Void
    ) throws {
        guard let name = relationship.description.inverseName, let entity = object.entity,
            case .toMany(_, let index) = try entity.property(name).kind
        else { return }
        if object === owner, name == relationship.name { return }
        change(object, index) { state in
            body(&state)
        }
        notify(object)
    }

    /// The property at the other end, as the declared destination has it.
    func inverse(of relationship: RelationshipPlan) throws -> PropertyPlan? {
        guard let name = relationship.description.inverseName else { return nil }
        return try plan.destination(relationship).property(name)
    }

    /// A new object that is given up leaves the loaded to-manys that show it.
    func detachFromPartners(_ backing: ModelBacking) {
        guard let entity = backing.entity else { return }
        for property in entity.properties {
            // What cannot be read has nothing loaded to leave.
            switch property.kind {
            case .attribute: break
            case .toOne: try? setToOne(backing, property, nil)
            case .toMany: try? setToMany(backing, property, [])
            }
        }
    }
}

extension ToManyState {
    mutating func add(_ key: ObjectKey) {
        if removed.remove(key) == nil { added.insert(key) }
        if var list = elements, !list.contains(key) {
            elements = nil
            list.append(key)
            elements = list
        }
    }

    mutating func remove(_ key: ObjectKey) {
        if added.remove(key) == nil { removed.insert(key) }
        elements?.removeAll { $0 == key }
    }
}
