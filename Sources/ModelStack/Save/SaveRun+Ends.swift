import SQLite
import StoreFormat

extension SaveRun {
    /// Marks the other end of every relationship that changes: Core Data gives both ends a version and a change row.
    func touchOtherEnds() throws {
        for work in order where work.kind != .delete {
            for property in work.entity.toOnes {
                guard work.kind == .insert ? !work.value(property.slot).isNull : work.values[property.slot] != nil,
                    case .toOne(let relationship, let slots) = property.kind
                else { continue }
                try touch(work, property, relationship)
                try setHidden(work, property, relationship, slots)
            }
            for (name, slot) in work.entity.ownerSlots where work.kind == .insert || work.values[slot.key] != nil {
                guard let owner = owner(name), let relationship = name.split(separator: ".").last else { continue }
                if work.kind == .update, work.value(slot.key).isNull { clearOrder(work, slot.key) }
                for key in [work.stored(slot.key).integerValue, work.value(slot.key).integerValue] {
                    guard let key, let touched = try reach(owner, key), touched.kind == .update else { continue }
                    touched.changed.insert(String(relationship))
                }
            }
        }
    }

    private func touch(_ work: SaveWork, _ property: PropertyPlan, _ relationship: RelationshipPlan) throws {
        guard let name = relationship.description.inverseName,
            let destination = plan[relationship.description.destinationEntityName],
            let back = destination.indexOfProperty(name), case .toMany = destination.properties[back].kind
        else { return }
        let old = work.stored(property.slot)
        let new = work.value(property.slot)
        guard old != new else { return }
        for key in [old.integerValue, new.integerValue] {
            guard let key, let touched = try reach(destination, key), touched.kind == .update else { continue }
            touched.changed.insert(name)
        }
    }

    /// The destination's entity number, where the destination has subentities.
    private func setHidden(
        _ work: SaveWork, _ property: PropertyPlan, _ relationship: RelationshipPlan, _ slots: PropertyPlan.ToOneSlots
    ) throws {
        guard let slot = slots.entity, let destination = plan[relationship.description.destinationEntityName] else {
            return
        }
        guard let key = work.value(property.slot).integerValue else {
            if work.kind == .update { work.values[slot] = .null }
            return
        }
        let number =
            try self.work(destination.root, key)?.entity.layout.number ?? row(destination, key)?.plan.layout.number
        work.values[slot] = number.map { .integer($0) } ?? .null
    }

    // MARK: Order

    /// Gives the elements of ordered to-manys their order keys.
    func assignOrders() throws {
        var done: Set<String> = []
        for work in order where work.kind != .delete && work.entity.hasOrder {
            for property in work.entity.properties {
                switch property.kind {
                case .attribute: break
                case .toMany(let relationship, let index):
                    guard relationship.isOrdered, let state = work.backing?.toManys[safe: index], state.isReordered
                    else { continue }
                    try assignOrder(relationship, owner: work.key, ownerRoot: work.entity.root, state.elements, &done)
                case .toOne(let relationship, let slots):
                    guard slots.order != nil, work.kind == .insert || work.values[property.slot] != nil,
                        let owner = work.value(property.slot).integerValue,
                        let destination = plan[relationship.description.destinationEntityName],
                        let inverse = try context.inverse(of: relationship),
                        case .toMany(let back, let index) = inverse.kind
                    else { continue }
                    let holder = context.registeredObject(destination.root, owner)
                    let elements = holder?.toManys[safe: index]?.elements
                    try assignOrder(back, owner: owner, ownerRoot: destination.root, elements, &done)
                }
            }
        }
    }

    private func assignOrder(
        _ relationship: RelationshipPlan, owner: Int64, ownerRoot: Int, _ elements: [ObjectKey]?,
        _ done: inout Set<String>
    ) throws {
        guard let destination = plan[relationship.description.destinationEntityName] else { return }
        if case .manyToMany = relationship.storage { return }
        guard done.insert("\(ownerRoot).\(owner).\(relationship.declaringEntity).\(relationship.name)").inserted else {
            return
        }
        var sequence: [SaveWork] = []
        for key in try elements?.map(\.key) ?? storedElements(relationship, owner: owner) {
            if let work = try reach(destination, key), work.kind != .delete { sequence.append(work) }
        }
        let present = Set(sequence.map(\.key))
        for work in order
        where work.kind != .delete && work.entity.root == destination.root && !present.contains(work.key) {
            guard let slot = context.keySlot(of: relationship, in: work.entity), work.value(slot) == .integer(owner)
            else { continue }
            sequence.append(work)
        }
        sequence = sequence.filter { work in
            context.keySlot(of: relationship, in: work.entity).map { work.value($0) == .integer(owner) } ?? false
        }
        let orderSlots = sequence.map { orderSlot(of: relationship, in: $0.entity) }
        let current = zip(sequence, orderSlots).map { work, slot -> Int64? in
            guard let slot, let key = context.keySlot(of: relationship, in: work.entity) else { return nil }
            // What came from another owner has no place here yet.
            return work.values[key] == nil || work.stored(key) == work.value(key) ? work.stored(slot).integerValue : nil
        }
        for (i, key) in OrderKeys.assign(current).enumerated() where current[i] != key {
            guard let slot = orderSlots[i] else { continue }
            let work = sequence[i]
            work.values[slot] = .integer(key)
            if let name = relationship.description.inverseName { work.changed.insert(name) }
            if work.kind == .update, work.expecting == nil { work.expecting = work.row?.version }
        }
    }

    private func orderSlot(of relationship: RelationshipPlan, in entity: EntityPlan) -> Int? {
        switch relationship.storage {
        case .toManyByInverse:
            guard let name = relationship.description.inverseName, let index = entity.indexOfProperty(name),
                case .toOne(_, let slots) = entity.properties[index].kind
            else { return nil }
            return slots.order
        case .toManyWithoutInverse:
            return entity.ownerSlots["\(relationship.declaringEntity).\(relationship.name)"]?.order
        default: return nil
        }
    }
}

extension Array {
    subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
