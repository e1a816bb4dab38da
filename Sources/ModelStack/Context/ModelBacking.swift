import Foundation
import Observation
import SQLite
import StoreFormat
import Synchronization

/// An object of a context: the row that it shows, the values that were set since, and its place in the context.
///
/// A `@Model` object holds one; without a class it is the object itself. It belongs to its context's thread or actor,
/// and goes when nobody holds the object any more, unless it has changes to save.
public final class ModelBacking {
    /// What the object is to its context.
    enum State: UInt8 {
        /// In no context yet.
        case detached
        /// To be inserted by the next save.
        case inserted
        /// In the store.
        case persistent
        /// To be deleted by the next save.
        case deleted
        /// Deleted from the store, or never saved and given up.
        case gone
    }

    var state = State.detached
    /// Whether the row may be older than the store, so that the next read looks again.
    var isStale = false
    /// Whether somebody looked at the row since it was taken in: a change may have been made from what it shows, and is
    /// made against it, even where the store is ahead.
    var isShown = false
    var entity: EntityPlan?
    var context: ObjectContext?
    /// The key in the entity's table; negative until the first save.
    var key: Int64
    /// The row as the store had it when it was read.
    var row: StoredRow?
    /// Values as set since; empty while none was. External data stands here without its prefix or file.
    var values: ContiguousArray<SQLValue> = []
    /// What is known of the to-manys; empty until one is used.
    var toManys: [ToManyState] = []
    /// The class' layout of values; nil for an object without a class.
    let shape: ModelShape?
    /// The `@Model` object that holds this. It outlives this, since it holds it.
    unowned(unsafe) var model: AnyObject?
    /// The same while the context has to keep the object alive.
    var retained: AnyObject?
    var registrar: ObservationRegistrar?
    /// What the relationships of an object without context hold, by the property's index.
    var detached: [Int: [AnyObject]] = [:]
    /// The key before the first save.
    var temporaryKey: Int64?

    /// An object that shows a row.
    init(_ row: StoredRow, context: ObjectContext, shape: ModelShape?) {
        self.row = row
        self.context = context
        self.shape = shape
        entity = row.plan
        key = row.key
        state = .persistent
        context.register(self)
    }

    /// A new object, in no context.
    init(shape: ModelShape?, values: ContiguousArray<SQLValue>) {
        self.shape = shape
        self.values = values
        key = TemporaryKeys.next()
    }

    deinit {
        context?.unregister(self)
    }

    var isPersistent: Bool { state == .persistent }
    /// Whether a save would have to look at it.
    var hasValues: Bool { !values.isEmpty || !toManys.allSatisfy { !$0.isChanged } }

    var objectKey: ObjectKey { ObjectKey(entity: Int32(entity?.index ?? -1), key: key) }
    var reference: ObjectReference { ObjectReference(entity: entity?.name ?? shape?.name ?? "", key: key) }

    /// A slot's value as it is now.
    func value(_ slot: Int) -> SQLValue {
        if !values.isEmpty { return slot < values.count ? values[slot] : .null }
        return row?[slot] ?? .null
    }

    /// Before the first change: the row's values to change.
    func startChange() {
        guard values.isEmpty, let row else { return }
        values = row.values
        guard row.plan.hasExternalData, let external = context?.instance.plan.store.externalData else { return }
        for (slot, leaf) in row.plan.leaves.enumerated() {
            guard let leaf, leaf.isExternal else { continue }
            values[slot] = Self.plain(values[slot], leaf, external)
        }
    }

    /// External data without its prefix, read from its file where it lies in one. The name of a file that is missing
    /// stands as text, which is nobody's data.
    static func plain(_ value: SQLValue, _ leaf: LeafLayout, _ external: ExternalData) -> SQLValue {
        switch ValueCoding.decode(value, as: leaf, external: external) {
        case .data(let data)?: .blob([UInt8](data))
        case .missingExternalData(let name)?: .text(name)
        default: value
        }
    }

    /// A slot's value as the row has it, in the form that `values` has.
    func original(_ slot: Int) -> SQLValue {
        guard let row else { return .null }
        guard row.plan.hasExternalData, let leaf = row.plan.leaves[safe: slot] ?? nil, leaf.isExternal,
            let external = context?.instance.plan.store.externalData
        else { return row[slot] }
        return Self.plain(row[slot], leaf, external)
    }
}

/// What a context knows of one to-many of one object.
struct ToManyState {
    /// The elements in their order, changes included; nil until they were read.
    var elements: [ObjectKey]?
    /// Pairs to add to and remove from a join table at the next save.
    var added: Set<ObjectKey> = []
    var removed: Set<ObjectKey> = []
    /// Whether the order was set anew.
    var isReordered = false

    var isChanged: Bool { !added.isEmpty || !removed.isEmpty || isReordered }
}

/// An object's place: the index of its entity's plan, and its key, negative while it is new.
struct ObjectKey: Sendable, Hashable {
    let entity: Int32
    let key: Int64
}

/// Keys for objects that have none yet: negative, and never the same twice in a process.
enum TemporaryKeys {
    private static let last = Atomic<Int64>(0)

    static func next() -> Int64 { -last.add(1, ordering: .relaxed).newValue }
}
