import Foundation
import SQLite
import StoreFormat

/// The objects of one context, with the changes that the next save writes; without knowledge of classes.
///
/// Not `Sendable`: it belongs to one thread or actor. What other threads have to say comes through its inbox.
final class ObjectContext {
    let instance: ModelInstance
    let inbox = ContextInbox()
    /// Makes the object of a class for a backing; nil where there are no classes.
    var makeModel: ((ModelBacking) -> AnyObject?)?
    /// The class' layout for an entity.
    var shapeOf: ((EntityPlan) -> ModelShape?)?
    /// Told after objects changed from outside, so that those who observe these properties look again; nil for all.
    var notifyProperties: ((ModelBacking, [String]?) -> Void)?
    /// The context that programs see.
    weak var facade: ModelContext?
    /// A failure that a property's syntax could not throw; the next save does.
    var deferredError: (any Error)?
    /// Whether inserting an object with a unique value that the store has already updates that row.
    var upserts = false

    /// Not owning: an object takes itself out when it goes.
    private var registered: [[Int64: Unmanaged<ModelBacking>]]
    /// Objects with changes, in the order of the first change; each is kept alive.
    private(set) var pending: [ModelBacking] = []
    private var pendingKeys: Set<ObjectIdentifier> = []
    /// The key that a new object got, by its temporary one.
    private var permanent: [Int64: ObjectKey] = [:]

    init(_ instance: ModelInstance) {
        self.instance = instance
        registered = Array(repeating: [:], count: instance.plan.rootCount)
        instance.contexts.add(inbox)
    }

    var plan: StorePlan { instance.plan }

    /// Has the observers of every property of an object look again.
    func notify(_ backing: ModelBacking) { notifyProperties?(backing, nil) }

    // MARK: Registration

    func register(_ backing: ModelBacking) {
        guard let entity = backing.entity else { return }
        registered[entity.root][backing.key] = Unmanaged.passUnretained(backing)
    }

    func unregister(_ backing: ModelBacking) {
        guard let entity = backing.entity, let known = registered[entity.root][backing.key],
            known.toOpaque() == Unmanaged.passUnretained(backing).toOpaque()
        else { return }
        registered[entity.root][backing.key] = nil
    }

    /// The object of that key, if somebody holds it.
    func registeredObject(_ root: Int, _ key: Int64) -> ModelBacking? {
        registered[root][key]?.takeUnretainedValue()
    }

    /// The objects of these trees that somebody holds; nil for all trees.
    func registeredObjects(_ roots: Set<Int>?) -> [ModelBacking] {
        registered.indices.filter { roots?.contains($0) ?? true }
            .flatMap { registered[$0].values.map { $0.takeUnretainedValue() } }
    }

    func reserve(_ root: Int, _ count: Int) {
        registered[root].reserveCapacity(registered[root].count + count)
    }

    /// The object that shows a row: the one that is there, or a new one.
    func object(_ row: StoredRow) -> ModelBacking {
        if let known = registered[row.plan.root][row.key]?.takeUnretainedValue() {
            if known.values.isEmpty, known.state == .persistent, known.row !== row { refresh(known, with: row) }
            return known
        }
        return ModelBacking(row, context: self, shape: shapeOf?(row.plan))
    }

    private func refresh(_ backing: ModelBacking, with row: StoredRow) {
        let isNew = backing.row?.version != row.version
        backing.row = row
        backing.isStale = false
        backing.isShown = false
        if isNew { forgetToManys(backing) }
    }

    func forgetToManys(_ backing: ModelBacking) {
        for i in backing.toManys.indices where !backing.toManys[i].isChanged { backing.toManys[i].elements = nil }
    }

    /// The object with that key in the entity's tree; nil where there is none.
    func object(_ entity: EntityPlan, _ key: Int64) throws -> ModelBacking? {
        if let known = registered[entity.root][key]?.takeUnretainedValue() { return known }
        if key < 0 {
            guard let found = permanent[key] else { return nil }
            return try object(plan.entities[Int(found.entity)], found.key)
        }
        return try instance.row(entity, key).map { object($0) }
    }

    func object(_ key: ObjectKey) throws -> ModelBacking? {
        try object(plan.entities[Int(key.entity)], key.key)
    }

    /// The key that an object has now, by the one that it had before its first save.
    func currentKey(_ key: Int64) -> Int64 { permanent[key]?.key ?? key }

    /// Keeps a pending object alive through its class' object.
    func keep(_ backing: ModelBacking) {
        if pendingContains(backing) { backing.retained = backing.model }
    }

    // MARK: Changes

    func markPending(_ backing: ModelBacking) {
        guard pendingKeys.insert(ObjectIdentifier(backing)).inserted else { return }
        pending.append(backing)
        backing.retained = backing.model
    }

    /// Before a change: keeps the object alive until the save, and gives it values of its own.
    ///
    /// What others saved meanwhile is not taken in here: the new value may have been made from what the object showed a
    /// moment ago, as in `trip.days += 1`. The save's version test decides.
    func willChange(_ backing: ModelBacking) {
        if backing.isStale, !backing.isShown { refreshFromStore(backing) }
        backing.startChange()
        markPending(backing)
    }

    var hasChanges: Bool {
        pending.contains { backing in
            switch backing.state {
            case .inserted, .deleted: true
            case .persistent: isChanged(backing)
            case .detached, .gone: false
            }
        }
    }

    /// Whether a value differs from the row's: setting an equal value is no change.
    func isChanged(_ backing: ModelBacking) -> Bool {
        if backing.toManys.contains(where: \.isChanged) { return true }
        guard !backing.values.isEmpty else { return false }
        return backing.values.indices.contains { !backing.values[$0].isStored(as: backing.original($0)) }
    }

    /// Makes an object part of this context.
    func insert(_ backing: ModelBacking, _ entity: EntityPlan) {
        guard backing.state == .detached || backing.state == .gone else { return }
        syncIfNeeded()
        backing.entity = entity
        backing.context = self
        backing.state = .inserted
        while backing.values.count < entity.slotCount { backing.values.append(.null) }
        if backing.toManys.isEmpty {
            backing.toManys = Array(repeating: ToManyState(elements: []), count: entity.toManyCount)
        }
        register(backing)
        markPending(backing)
    }

    /// Marks an object to be deleted; a new one is given up at once.
    func delete(_ backing: ModelBacking) {
        syncIfNeeded()
        switch backing.state {
        case .inserted:
            detachFromPartners(backing)
            backing.state = .gone
            unmark(backing)
        case .persistent:
            // As before a change: what nobody has been shown since somebody else wrote it goes as the store has it now.
            if backing.isStale, !backing.isShown { refreshFromStore(backing) }
            guard backing.state == .persistent else { return }
            backing.state = .deleted
            markPending(backing)
        case .detached, .deleted, .gone: break
        }
    }

    private func unmark(_ backing: ModelBacking) {
        pendingKeys.remove(ObjectIdentifier(backing))
        pending.removeAll { $0 === backing }
        backing.retained = nil
    }

    /// Gives up every change.
    func rollback() {
        syncIfNeeded()
        let objects = pending
        pending = []
        pendingKeys = []
        for backing in objects {
            switch backing.state {
            case .inserted: backing.state = .gone
            case .deleted: backing.state = .persistent
            case .detached, .persistent, .gone: break
            }
            backing.values = backing.row == nil ? backing.values : []
            backing.toManys = []
            // What was shown is given up too: the next change is made against what the store has now.
            backing.isShown = false
        }
        deferredError = nil
        // Loaded to-manys of others may have shown what is given up now.
        for tree in registered {
            for object in tree.values { object.takeUnretainedValue().toManys = [] }
        }
        for backing in objects { notify(backing) }
        release(objects)
    }

    /// Lets go of objects one by one: with a model goes its backing, so that none is left without.
    private func release(_ objects: consuming [ModelBacking]) {
        objects.reverse()
        while let backing = objects.popLast() { backing.retained = nil }
    }

    func pendingContains(_ backing: ModelBacking) -> Bool { pendingKeys.contains(ObjectIdentifier(backing)) }

    /// After a save: the pending objects are as the store has them.
    func finishSave(_ keys: [Int64: ObjectKey]) {
        permanent.merge(keys) { _, new in new }
        for backing in pending {
            for i in backing.toManys.indices {
                backing.toManys[i].elements = backing.toManys[i].elements?.map { keys[$0.key] ?? $0 }
                backing.toManys[i].added = []
                backing.toManys[i].removed = []
                backing.toManys[i].isReordered = false
            }
        }
        let objects = pending
        pending = []
        pendingKeys = []
        release(objects)
    }

    /// A new object's key changes from the temporary to the permanent one.
    func rekey(_ backing: ModelBacking, to key: Int64) {
        unregister(backing)
        // Updated through a new object with the same unique value: what shows the row already reads it anew.
        if let entity = backing.entity, let other = registeredObject(entity.root, key), other !== backing {
            other.isStale = true
        }
        backing.temporaryKey = backing.temporaryKey ?? backing.key
        backing.key = key
        register(backing)
    }

    /// Lets go of pending objects, so that a context that is given up with changes does not stay.
    func abandon() {
        let objects = pending
        pending = []
        pendingKeys = []
        release(objects)
    }
}
