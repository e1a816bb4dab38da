import SQLite
import StoreFormat

/// What a save does to one object.
final class SaveWork {
    enum Kind {
        case insert
        case update
        case delete
    }

    let entity: EntityPlan
    var key: Int64
    var kind: Kind
    /// The object in the context, where it is in memory.
    let backing: ModelBacking?
    /// The row as the context knew it, or as this transaction read it.
    var row: StoredRow?
    /// The slots to write, with their values in the form that the context has.
    var values: [Int: SQLValue] = [:]
    /// The properties that history marks.
    var changed: Set<String> = []
    /// The version that the row must still have.
    var expecting: Int64?
    /// Whether a delete rule brought the object into the save.
    var isByRule = false
    /// Whether the context itself has changes of the object.
    var isPending = false
    /// Whether a loaded to-many of it may show what is deleted now.
    var losesElements = false

    init(_ entity: EntityPlan, key: Int64, kind: Kind, backing: ModelBacking?) {
        self.entity = entity
        self.key = key
        self.kind = kind
        self.backing = backing
    }

    /// Whether only another object's relationship touches it: a version and a change row, no column.
    var isTouch: Bool { kind == .update && values.isEmpty }
    var written: SaveTransaction.WrittenRow { (entity.layout, key) }
    /// The object; without a key where it is new, since no row has it yet.
    var reference: ObjectReference { ObjectReference(entity: entity.name, key: kind == .insert ? 0 : key) }

    /// The object as messages name it.
    func offence(_ reason: String, property: String? = nil) -> StoreError.Offence {
        let label =
            kind == .insert
            ? NewObjectName.text(entity.layout) { column in
                self.entity.columns.firstIndex(of: column).map { self.value($0) }
            } : nil
        return StoreError.Offence(object: reference, reason: reason, property: property, label: label)
    }

    /// A slot's value when the save is done.
    func value(_ slot: Int) -> SQLValue {
        if let value = values[slot] { return value }
        if let backing, kind != .delete { return backing.value(slot) }
        return row?[slot] ?? .null
    }

    /// A slot's value as the store has it.
    func stored(_ slot: Int) -> SQLValue { row?[slot] ?? .null }
}

/// Where a row is: the tree's index and the key.
struct RowPlace: Hashable {
    let root: Int
    let key: Int64
}
