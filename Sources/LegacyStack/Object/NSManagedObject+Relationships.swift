import SQLite
import StoreFormat

extension NSManagedObject {
    // MARK: Reading

    /// Where the row says that a to-one leads.
    func savedDestination(_ relationship: SchemaRelationship) -> NSManagedObjectID? {
        guard let row, let context = managedObjectContext else { return nil }
        return RowReader.destination(row, relationship, info, context.instance.schema).map {
            NSManagedObjectID($0.entity, key: $0.key)
        }
    }

    func toOneID(_ slot: Int, _ relationship: SchemaRelationship) -> NSManagedObjectID? {
        if isLoose { return looseMembers(slot).first?.id }
        prepareToRead()
        if !slots.isEmpty {
            switch slots[slot] {
            case .object(let id): return id
            case .invalid: return nil
            default: break
            }
        }
        return savedDestination(relationship)
    }

    func toOne(_ slot: Int, _ relationship: SchemaRelationship) -> NSManagedObject? {
        if isLoose { return looseMembers(slot).first }
        guard let id = toOneID(slot, relationship) else { return nil }
        return managedObjectContext?.object(with: id)
    }

    /// The members' identities, read from the store when they are first asked for.
    func toManyIDs(_ slot: Int, _ relationship: SchemaRelationship) -> [NSManagedObjectID] {
        if isLoose { return looseMembers(slot).map(\.id) }
        absorbRemoteChanges()
        let state = toManyState(slot)
        if state.base == nil {
            state.base = flags.contains(.inserted) ? [] : managedObjectContext?.savedMembers(of: self, relationship)
        }
        return state.members
    }

    func toMany(_ slot: Int, _ relationship: SchemaRelationship) -> [NSManagedObject] {
        if isLoose { return looseMembers(slot) }
        let ids = toManyIDs(slot, relationship)
        guard let context = managedObjectContext else { return [] }
        return ids.map { context.object(with: $0) }
    }

    func toManyState(_ slot: Int) -> ToManyState {
        ensureSlots()
        if case .many(let state) = slots[slot] { return state }
        let state = ToManyState()
        slots[slot] = .many(state)
        return state
    }

    // MARK: Writing

    private func accepts(_ object: NSManagedObject, _ slot: Int, _ relationship: SchemaRelationship) -> Bool {
        guard let context = managedObjectContext, object.link === link,
            relationship.destination >= 0,
            context.instance.schema.entities[relationship.destination].isAncestor(of: object.info)
        else {
            invalidate(
                slot,
                StoreError(
                    .typeMismatch,
                    "\(info.name).\(relationship.name) leads to \(relationship.layout.description.destinationEntityName), not to \(object.id.shown)",
                    way: object.link === link ? "give an object of that entity" : "fetch the object in the same context"
                ))
            return false
        }
        return true
    }

    func setToOne(_ object: NSManagedObject?, _ slot: Int, _ relationship: SchemaRelationship) {
        if isLoose, setLoose(object.map { [$0] } ?? [], slot, relationship) { return }
        changing { exchangeToOne(object, slot, relationship) }
    }

    /// Sets a relationship, which looks at several objects, against what they show now.
    private func changing(_ body: () -> Void) {
        guard let context = managedObjectContext else { return body() }
        context.withoutNews(body)
    }

    private func exchangeToOne(_ object: NSManagedObject?, _ slot: Int, _ relationship: SchemaRelationship) {
        prepareToChange()
        if let object {
            takeAlong([object])
            if !accepts(object, slot, relationship) { return }
        }
        let old = toOneID(slot, relationship)
        guard old != object?.id else { return }
        let oldObject = old.flatMap { managedObjectContext?.object(with: $0) }
        store(object?.id, slot, relationship)
        guard let inverse = relationship.inverseName else { return }
        oldObject?.detach(self, inverse)
        guard let object, let back = object.info.slots[inverse],
            case .relationship(let other) = object.info.properties[back]
        else { return }
        if other.isToMany {
            object.addMember(id, back)
        } else {
            // The partner's former partner loses it.
            if let former = object.toOneID(back, other), former != id {
                managedObjectContext?.object(with: former).detach(object, relationship.name)
            }
            object.store(id, back, other)
        }
    }

    /// Notes where a to-one leads, without looking at the other end.
    func store(_ id: NSManagedObjectID?, _ slot: Int, _ relationship: SchemaRelationship) {
        prepareToRead()
        ensureSlots()
        slots[slot] = !flags.contains(.inserted) && savedDestination(relationship) == id ? .unchanged : .object(id)
        touch()
    }

    func addMember(_ id: NSManagedObjectID, _ slot: Int) {
        toManyState(slot).add(id)
        touch()
    }

    /// Takes the object out of a relationship, without looking at the other end.
    func detach(_ object: NSManagedObject, _ key: String) {
        guard let slot = info.slots[key], case .relationship(let relationship) = info.properties[slot] else { return }
        if relationship.isToMany {
            // A key may lead nowhere: what is not there holds nothing, and is not to be written.
            guard isThere else { return }
            toManyState(slot).remove(object.id)
            touch()
        } else if toOneID(slot, relationship) == object.id {
            store(nil, slot, relationship)
        }
    }

    /// Whether the object is new, or has a row: a fault may be of an object that is not in the store.
    var isThere: Bool {
        if !flags.isDisjoint(with: [.inserted, .loose]) { return true }
        prepareToRead()
        return row != nil
    }

    func setToMany(_ members: [NSManagedObject], _ slot: Int, _ relationship: SchemaRelationship) {
        if isLoose {
            var seen: Set<NSManagedObjectID> = []
            if setLoose(members.filter { seen.insert($0.id).inserted }, slot, relationship) { return }
        }
        changing { exchangeToMany(members, slot, relationship) }
    }

    private func exchangeToMany(_ members: [NSManagedObject], _ slot: Int, _ relationship: SchemaRelationship) {
        takeAlong(members)
        for member in members where !accepts(member, slot, relationship) { return }
        let old = toManyIDs(slot, relationship)
        var seen: Set<NSManagedObjectID> = []
        let new = members.filter { seen.insert($0.id).inserted }
        let known = Set(old)
        for member in new where !known.contains(member.id) { add(member, slot, relationship) }
        for id in old where !seen.contains(id) {
            if let member = managedObjectContext?.object(with: id) { remove(member, slot, relationship) }
        }
        guard relationship.isOrdered else { return }
        let state = toManyState(slot)
        let order = new.map(\.id)
        if state.members != order {
            state.order = order
            touch()
        }
    }

    /// Adds one object to a to-many, at the end of an ordered one.
    func add(_ member: NSManagedObject, _ slot: Int, _ relationship: SchemaRelationship) {
        if isLoose {
            let known = looseMembers(slot)
            if setLoose(known.contains { $0 === member } ? known : known + [member], slot, relationship) { return }
        }
        takeAlong([member])
        guard accepts(member, slot, relationship) else { return }
        addMember(member.id, slot)
        guard let inverse = relationship.inverseName, let back = member.info.slots[inverse],
            case .relationship(let other) = member.info.properties[back]
        else { return }
        if other.isToMany {
            member.addMember(id, back)
        } else {
            if let former = member.toOneID(back, other), former != id {
                managedObjectContext?.object(with: former).detach(member, relationship.name)
            }
            member.store(id, back, other)
        }
    }

    func remove(_ member: NSManagedObject, _ slot: Int, _ relationship: SchemaRelationship) {
        if isLoose, setLoose(looseMembers(slot).filter { $0 !== member }, slot, relationship) { return }
        toManyState(slot).remove(member.id)
        touch()
        if let inverse = relationship.inverseName { member.detach(self, inverse) }
    }

    /// Adds an object to a to-many relationship, at the end of an ordered one. Reads nothing from the store.
    public func addObject(_ object: NSManagedObject, toRelationship key: String) {
        guard let slot = info.slots[key], case .relationship(let relationship) = info.properties[slot],
            relationship.isToMany
        else { return refuseRelated(object, key) }
        add(object, slot, relationship)
    }

    /// Takes an object out of a to-many relationship. Reads no other object of it.
    public func removeObject(_ object: NSManagedObject, fromRelationship key: String) {
        guard let slot = info.slots[key], case .relationship(let relationship) = info.properties[slot],
            relationship.isToMany
        else { return refuseRelated(object, key) }
        remove(object, slot, relationship)
    }

    /// A key that is no to-many relationship: no property at all, or one that holds something else.
    private func refuseRelated(_ object: NSManagedObject, _ key: String) {
        guard info.slots[key] != nil else { return setValue(object, forUndefinedKey: key) }
        refuse(
            StoreError(
                .typeMismatch, "\(info.name).\(key) is no relationship to many objects",
                way: "set it with setValue(_:forKey:), and take this change back with rollback()"))
    }

    /// The identities of a relationship's objects; an ordered one's in order.
    public func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        guard let slot = info.slots[key], case .relationship(let relationship) = info.properties[slot] else {
            return []
        }
        return relationship.isToMany
            ? toManyIDs(slot, relationship) : toOneID(slot, relationship).map { [$0] } ?? []
    }
}
