import StoreFormat

/// What delete rules did to a context's objects since its last save. The program asked for none of it, so rows of the other
/// stack that only rules reached may be written in that stack's name.
struct RuleEffects {
    /// Objects that a cascade deleted.
    private(set) var deleted: Set<RowKey> = []
    /// The to-ones that a nullifying rule cleared.
    private var cleared: [RowKey: Set<Int>] = [:]

    mutating func cascade(to key: RowKey) { deleted.insert(key) }
    /// The program itself deletes the object.
    mutating func claim(_ key: RowKey) { deleted.remove(key) }
    mutating func clear(_ slot: Int, of key: RowKey) { cleared[key, default: []].insert(slot) }

    mutating func clear() {
        deleted = []
        cleared = [:]
    }

    /// Whether all of an object's changes are those of rules, as they left them.
    func explain(_ object: NSManagedObject) -> Bool {
        guard let slots = cleared[object.id.rowKey] else { return false }
        return object.slots.indices.allSatisfy { slot in
            switch object.slots[slot] {
            // To-manys have no column in this row.
            case .unchanged, .transient, .many: true
            case .object(nil): slots.contains(slot)
            default: false
            }
        }
    }
}
