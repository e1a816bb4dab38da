import Foundation
import SQLite
import StoreFormat

extension SaveWork {
    /// After the commit: the objects take their new identities, versions and rows.
    func settle() {
        var cached: [(root: Int, key: Int64, row: Row?)] = []
        cached.reserveCapacity(inserts.count + changes.count + deleted.count)
        for insert in inserts { settle(insert, &cached) }
        for change in changeOrder { settle(change, &cached) }
        for object in deleted {
            cached.append((object.info.rootIndex, object.id.key, nil))
            context.forget(object)
        }
        context.instance.cache.commit(cached, generation: generation)
        if !schema.derived.isEmpty {
            context.instance.cache.removeAll(roots: Set(schema.derived.map(\.rootIndex)))
            context.refaultDerived()
        }
        context.insertedList = []
        context.newObjects = [:]
        // Those too that were set to what they had: their next change has to be noted anew.
        for object in context.updatedList { object.flags.remove(.updated) }
        context.updatedList = []
        context.deletedList = []
        context.expectations = [:]
        context.ruleEffects.clear()
    }

    private func settle(_ insert: RowInsert, _ cached: inout [(root: Int, key: Int64, row: Row?)]) {
        let object = insert.object
        let root = object.info.rootIndex
        context.permanentKeys[object.id.key] = nil
        object.id = NSManagedObjectID(object.info, key: insert.key)
        object.flags.subtract([.inserted, .updated])
        context.register(object)
        if object.info.isWrittenByTriggers {
            object.row = nil
            object.flags.insert(.fault)
        } else {
            let row = Row(entity: object.info.index, version: 1, values: insert.values)
            object.row = row
            cached.append((root, insert.key, row))
        }
        settleSlots(object)
    }

    private func settle(_ change: RowChange, _ cached: inout [(root: Int, key: Int64, row: Row?)]) {
        let row = newRows[change.rowKey]
        cached.append((change.rowKey.root, change.key, row))
        guard let object = change.object ?? context.registeredObject(change.rowKey) else { return }
        object.flags.remove(.updated)
        if stale.contains(change.rowKey) {
            context.turnIntoFault(object)
            return
        }
        object.row = row
        if row == nil { object.flags.insert(.fault) }
        forgetFormerMembers(object)
        settleSlots(object)
    }

    /// What was read of to-many relationships stays, with the new identities.
    private func settleSlots(_ object: NSManagedObject) {
        for slot in object.slots.indices {
            switch object.slots[slot] {
            case .many(let state):
                state.settle { id in
                    guard let key = self.keys[id.key] else { return id }
                    return NSManagedObjectID(id.schemaEntity, key: key)
                }
                if state.base == nil { object.slots[slot] = .unchanged }
            case .transient: break
            default: object.slots[slot] = .unchanged
            }
        }
        if object.slots.allSatisfy({ if case .unchanged = $0 { true } else { false } }) { object.slots = [] }
    }
}
