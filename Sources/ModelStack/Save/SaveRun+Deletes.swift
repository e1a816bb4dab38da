import SQLite
import StoreFormat
import StoreModel

extension SaveRun {
    /// An object that a deleted one is related to.
    struct Dependent {
        let deleted: SaveWork
        let property: PropertyPlan
        let other: SaveWork
    }

    /// Follows the delete rules from every deleted object, over rows in memory and in the store, and then nullifies what
    /// is left pointing at one.
    func applyDeleteRules() throws {
        guard order.contains(where: { $0.kind == .delete }) else { return }
        let pointers = pendingPointers()
        var nullified: [Dependent] = []
        var denied: [Dependent] = []
        var next = 0
        let deletes = order.filter { $0.kind == .delete }
        var queue = deletes
        while next < queue.count {
            let work = queue[next]
            next += 1
            if work.row == nil { work.row = try row(work.entity, work.key) }
            for property in work.entity.properties {
                guard let relationship = property.relationship else { continue }
                for other in try dependents(of: work, property, pointers) {
                    let dependent = Dependent(deleted: work, property: property, other: other)
                    switch relationship.description.deleteRule {
                    case .cascade:
                        guard other.kind != .delete else { continue }
                        markDeleted(other)
                        queue.append(other)
                    case .deny: denied.append(dependent)
                    case .nullify: break
                    case .noAction: continue
                    }
                    nullified.append(dependent)
                }
            }
            try touchOwners(of: work)
        }
        try refuse(denied.filter { $0.other.kind != .delete })
        for dependent in nullified where dependent.other.kind != .delete { try nullify(dependent) }
        order.removeAll { $0.kind == .delete && $0.key < 0 }
    }

    private func markDeleted(_ work: SaveWork) {
        work.kind = .delete
        work.isByRule = true
        work.values = [:]
        work.changed = []
        work.expecting = nil
        if let backing = work.backing, backing.state == .persistent {
            work.expecting = backing.isStale && !backing.isShown ? work.row?.version : backing.row?.version
        }
    }

    private func refuse(_ denied: [Dependent]) throws {
        var refused: [(object: ObjectReference, relationship: String, held: [ObjectReference])] = []
        for dependent in denied {
            let object = dependent.deleted.reference
            let relationship = "\(dependent.deleted.entity.name).\(dependent.property.name)"
            if refused.last?.object != object || refused.last?.relationship != relationship {
                refused.append((object, relationship, []))
            }
            refused[refused.count - 1].held.append(dependent.other.reference)
        }
        if !refused.isEmpty { throw StoreError.deleteDenied(refused) }
    }

    // MARK: Who is related

    /// Pending objects by the row that a key of theirs leads to.
    private func pendingPointers() -> [RowPlace: [SaveWork]] {
        var pointers: [RowPlace: [SaveWork]] = [:]
        for work in order where work.kind != .delete {
            for property in work.entity.properties {
                guard case .toOne(let relationship, _) = property.kind,
                    let key = work.values[property.slot]?.integerValue
                        ?? (work.kind == .insert ? work.value(property.slot).integerValue : nil),
                    let destination = plan[relationship.description.destinationEntityName]
                else { continue }
                pointers[RowPlace(root: destination.root, key: key), default: []].append(work)
            }
            for (name, slot) in work.entity.ownerSlots {
                guard let key = work.value(slot.key).integerValue, let owner = owner(name) else { continue }
                pointers[RowPlace(root: owner.root, key: key), default: []].append(work)
            }
        }
        return pointers
    }

    /// The entity that declares a to-many without inverse, from `Entity.relationship`.
    func owner(_ name: String) -> EntityPlan? {
        name.firstIndex(of: ".").flatMap { plan[String(name[..<$0])] }
    }

    private func dependents(
        of work: SaveWork, _ property: PropertyPlan, _ pointers: [RowPlace: [SaveWork]]
    ) throws -> [SaveWork] {
        guard let relationship = property.relationship,
            let destination = plan[relationship.description.destinationEntityName]
        else { return [] }
        switch relationship.storage {
        case .toOne:
            guard let key = work.stored(property.slot).integerValue else { return [] }
            return try reach(destination, key).map { [$0] } ?? []
        case .toManyByInverse, .toManyWithoutInverse:
            var found: [SaveWork] = []
            for key in try storedElements(relationship, owner: work.key) {
                guard let other = try reach(destination, key),
                    let slot = context.keySlot(of: relationship, in: other.entity),
                    other.kind == .delete || other.value(slot) == .integer(work.key)
                else { continue }
                found.append(other)
            }
            let known = Set(found.map(\.key))
            for other in pointers[RowPlace(root: work.entity.root, key: work.key)] ?? []
            where other.entity.root == destination.root && !known.contains(other.key) {
                guard let slot = context.keySlot(of: relationship, in: other.entity),
                    other.value(slot) == .integer(work.key)
                else { continue }
                found.append(other)
            }
            return found
        case .manyToMany:
            return try storedElements(relationship, owner: work.key).compactMap { try reach(destination, $0) }
        case .absent: return []
        }
    }

    func storedElements(_ relationship: RelationshipPlan, owner: Int64) throws -> [Int64] {
        guard owner > 0, let query = relationship.toManyQuery(plan) else { return [] }
        var keys: [Int64] = []
        try transaction.connection.cached(query.oneSQL).forEach([.integer(owner)]) { keys.append($0.integer(0)) }
        return keys
    }

    // MARK: Letting go

    private func nullify(_ dependent: Dependent) throws {
        guard let relationship = dependent.property.relationship else { return }
        let other = dependent.other
        other.losesElements = true
        switch relationship.storage {
        case .toManyByInverse, .toManyWithoutInverse:
            guard let slot = context.keySlot(of: relationship, in: other.entity) else { return }
            other.values[slot] = .null
            clearOrder(other, slot)
        case .toOne, .manyToMany:
            guard let name = relationship.description.inverseName, let index = other.entity.indexOfProperty(name) else {
                return
            }
            let back = other.entity.properties[index]
            if case .toOne = back.kind {
                guard other.value(back.slot) == .integer(dependent.deleted.key) else { return }
                other.values[back.slot] = .null
                clearOrder(other, back.slot)
            }
        case .absent: return
        }
        if let name = relationship.description.inverseName { other.changed.insert(name) }
        if !other.isPending { other.isByRule = true }
        if !other.values.isEmpty, other.expecting == nil, other.kind == .update { other.expecting = other.row?.version }
    }

    /// The hidden columns that go with a key which becomes NULL.
    func clearOrder(_ work: SaveWork, _ slot: Int) {
        for property in work.entity.properties {
            guard case .toOne(_, let slots) = property.kind, property.slot == slot else { continue }
            for hidden in [slots.entity, slots.order] {
                if let hidden, !work.stored(hidden).isNull { work.values[hidden] = .null }
            }
        }
        for owner in work.entity.ownerSlots.values where owner.key == slot {
            if let hidden = owner.order, !work.stored(hidden).isNull { work.values[hidden] = .null }
        }
    }

    /// The owners of to-manys without inverse that the deleted object was an element of.
    private func touchOwners(of work: SaveWork) throws {
        for (name, slot) in work.entity.ownerSlots {
            guard let key = work.stored(slot.key).integerValue, let owner = owner(name),
                let touched = try reach(owner, key), touched.kind != .delete,
                let relationship = name.split(separator: ".").last
            else { continue }
            touched.changed.insert(String(relationship))
            touched.losesElements = true
        }
    }
}
