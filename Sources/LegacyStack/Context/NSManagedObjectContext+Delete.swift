import Foundation
import StoreFormat
import StoreModel

extension NSManagedObjectContext {
    /// Registers an object for insertion that was made without a context, with all that it is related to; one that was made
    /// in this context is already. A deleted object of this context is deleted no more.
    public func insert(_ object: NSManagedObject) {
        locked {
            if object.isLoose { return takeIn(object) }
            guard object.link === link, object.flags.contains(.deleted), let place = deletedList.firstIndex(of: object)
            else { return }
            deletedList.remove(at: place)
            object.flags.remove(.deleted)
            ruleEffects.claim(object.id.rowKey)
        }
    }

    /// Deletes an object with the next save. Delete rules take effect at once: cascades delete, nullified relationships
    /// let go; a denying one refuses the save.
    public func delete(_ object: NSManagedObject) {
        locked {
            absorb()
            if object.link === link { ruleEffects.claim(object.id.rowKey) }
            delete(object, byRule: false)
        }
    }

    private func delete(_ object: NSManagedObject, byRule: Bool) {
        var waiting = [object]
        var byRule = byRule
        while let next = waiting.popLast() {
            guard next.link === link, !next.flags.contains(.deleted) else { continue }
            next.prepareForDeletion()
            mark(next)
            if byRule, !next.id.isTemporaryID { ruleEffects.cascade(to: next.id.rowKey) }
            byRule = true
            waiting += propagate(next)
        }
    }

    private func mark(_ object: NSManagedObject) {
        if object.flags.contains(.inserted) {
            object.flags.insert(.deleted)
        } else {
            object.prepareToRead()
            object.flags.insert(.deleted)
            deletedList.append(object)
        }
    }

    /// Lets go of what the object relates to.
    /// - Returns: the objects that go with it.
    private func propagate(_ object: NSManagedObject) -> [NSManagedObject] {
        var cascade: [NSManagedObject] = []
        for slot in object.info.relationshipSlots {
            guard case .relationship(let relationship) = object.info.properties[slot] else { continue }
            let members =
                relationship.isToMany
                ? object.toMany(slot, relationship) : object.toOne(slot, relationship).map { [$0] } ?? []
            switch relationship.deleteRule {
            case .cascade: cascade += members.filter(\.isThere)
            case .nullify:
                for member in members where !member.flags.contains(.deleted) {
                    if let inverse = relationship.inverseName {
                        letGo(member, of: object, inverse)
                    } else if case .toManyWithoutInverse = relationship.layout.storage {
                        object.toManyState(slot).remove(member.id)
                    }
                }
            case .noAction, .deny: break
            }
        }
        if object.flags.contains(.inserted) { forget(object) }
        return cascade
    }

    /// Takes the deleted object out of the member's inverse, and remembers that a rule did so.
    private func letGo(_ member: NSManagedObject, of object: NSManagedObject, _ inverse: String) {
        let slot = member.info.slots[inverse]
        let isFirst = slot.map { member.slots.isEmpty || !member.slots[$0].isChange } ?? false
        member.detach(object, inverse)
        guard isFirst, let slot, !member.slots.isEmpty, case .object(nil) = member.slots[slot] else { return }
        ruleEffects.clear(slot, of: member.id.rowKey)
    }

    /// Applies the rules again for members that appeared in the store after the deletion.
    func propagateAgain(_ keys: Set<RowKey>) {
        for object in deletedList where keys.contains(object.id.rowKey) {
            for slot in object.info.relationshipSlots {
                if !object.slots.isEmpty, case .many(let state) = object.slots[slot] { state.base = nil }
            }
            for member in propagate(object) { delete(member, byRule: true) }
        }
    }

    /// The deletions that a rule of the deleted objects denies, as members are left.
    func deniedDeletions() -> [(object: ObjectReference, relationship: String, held: [ObjectReference])] {
        var denied: [(object: ObjectReference, relationship: String, held: [ObjectReference])] = []
        for object in deletedList {
            for slot in object.info.relationshipSlots {
                guard case .relationship(let relationship) = object.info.properties[slot],
                    relationship.deleteRule == .deny
                else { continue }
                let members =
                    relationship.isToMany
                    ? object.toMany(slot, relationship) : object.toOne(slot, relationship).map { [$0] } ?? []
                let left = members.filter { !$0.flags.contains(.deleted) && $0.isThere }
                guard !left.isEmpty else { continue }
                denied.append(
                    (object.id.shown, "\(object.info.name).\(relationship.name)", left.map(\.id.shown)))
            }
        }
        return denied
    }
}
