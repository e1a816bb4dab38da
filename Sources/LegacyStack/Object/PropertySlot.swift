import SQLite
import StoreFormat

/// What an object holds in memory for one property, beside its row.
enum PropertySlot {
    /// What the row says; no value where there is no row.
    case unchanged
    /// An attribute's value in its column's form.
    case stored(SQLValue)
    /// A composite's value, or one that goes to a file.
    case attribute(AttributeValue?)
    case transient(Any?)
    /// Where a to-one leads.
    case object(NSManagedObjectID?)
    case many(ToManyState)
    /// A value that the property cannot hold: a save is refused with the error.
    case invalid(StoreError)

    /// Whether a save has to look at it.
    var isChange: Bool {
        switch self {
        case .unchanged, .transient: false
        case .stored, .attribute, .object, .invalid: true
        case .many(let state): state.isChanged
        }
    }
}

/// A to-many relationship of one object: what the store holds, as far as it was read, and what changed since.
final class ToManyState {
    /// The members in the store; nil until somebody asks.
    var base: [NSManagedObjectID]?
    /// Members that were added, in order.
    private(set) var added: [NSManagedObjectID] = []
    private var addedSet: Set<NSManagedObjectID> = []
    private(set) var removed: Set<NSManagedObjectID> = []
    /// The whole sequence of an ordered relationship, once somebody set it.
    var order: [NSManagedObjectID]?

    var isChanged: Bool { !added.isEmpty || !removed.isEmpty || order != nil }

    func add(_ id: NSManagedObjectID) {
        if removed.remove(id) == nil {
            guard addedSet.insert(id).inserted else { return }
            added.append(id)
        }
        if order != nil, order?.contains(id) == false { order?.append(id) }
    }

    func remove(_ id: NSManagedObjectID) {
        if addedSet.remove(id) != nil {
            // The newest is the likeliest to go again.
            if let place = added.lastIndex(of: id) { added.remove(at: place) }
        } else {
            removed.insert(id)
        }
        order?.removeAll { $0 == id }
    }

    /// The members now; `base` must have been read.
    var members: [NSManagedObjectID] {
        if let order { return order }
        let base = base ?? []
        if added.isEmpty, removed.isEmpty { return base }
        // A member can be both in the store and added: another context may have saved the same.
        var result = removed.isEmpty ? base : base.filter { !removed.contains($0) }
        if addedSet.isEmpty { return result }
        let known = Set(result)
        result += added.filter { !known.contains($0) }
        return result
    }

    /// After a save: what was changed is what the store holds.
    func settle(_ resolve: (NSManagedObjectID) -> NSManagedObjectID) {
        if base != nil { base = members.map(resolve) }
        added = []
        addedSet = []
        removed = []
        order = nil
    }
}
