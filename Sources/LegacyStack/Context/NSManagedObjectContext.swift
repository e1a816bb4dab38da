import Foundation
import SQLite
import StoreFormat
import StoreModel
import Synchronization

/// A space of objects over one store: what is fetched, inserted, changed and deleted here is seen here, and saved whole
/// or not at all.
///
/// A context is used on its queue (`perform`, `performAndWait`) or by one thread at a time.
///
/// `@unchecked Sendable`: every stored property that changes is only touched under `lock`, which every entry takes;
/// the lock is recursive, since callbacks of objects call back in. The objects themselves are not Sendable and stay with
/// whoever got them from the context.
open class NSManagedObjectContext: @unchecked Sendable {
    /// Which queue a context works on.
    public enum ConcurrencyType: UInt, Sendable {
        case privateQueueConcurrencyType = 1
        /// For the program's main thread. `perform` still runs on a queue of the context's own.
        case mainQueueConcurrencyType = 2
    }

    struct WeakObject {
        weak var object: NSManagedObject?
    }

    let instance: LegacyInstance
    let link = ContextLink()
    let lock = NSRecursiveLock()
    let queue = DispatchQueue(label: "org.coexistd.legacy.context")
    private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()

    /// Which queue the context works on.
    public let concurrencyType: ConcurrencyType

    // Touched under `lock` only.
    /// Saved objects by root entity and key.
    var registered: [[Int64: WeakObject]]
    /// New objects by their temporary keys. Held strongly until they are saved, so that they pay for no weak reference.
    var newObjects: [Int64: NSManagedObject] = [:]
    private var registeredSinceSweep = 0
    private var sweepLimit = 50_000
    var insertedList: ContiguousArray<NSManagedObject> = []
    var updatedList: ContiguousArray<NSManagedObject> = []
    var deletedList: ContiguousArray<NSManagedObject> = []
    var observers: [ObjectIdentifier: WeakObserver] = [:]
    private var making: NSManagedObjectID?
    private var storedName: String?
    private var storedAuthor: String?
    private var storedPolicy = NSMergePolicy.error
    private let merges = Atomic<Bool>(false)
    private var storedInfo: [AnyHashable: Any] = [:]
    /// Rows are read from the database, whatever the cache holds.
    var readsFresh = false
    /// Whether the other contexts of the instance learn of a save here as they do of other instances' saves.
    var tellsEveryContext = false
    /// Versions that objects must have when they are saved.
    var expectations: [RowKey: Int64] = [:]
    /// Whether a relationship is being set: what others saved is not taken in between its steps.
    var isChanging = false
    /// What delete rules did, and the program did not.
    var ruleEffects = RuleEffects()
    /// Keys that new objects got before they are saved, by their temporary ones.
    var permanentKeys: [Int64: Int64] = [:]
    /// The last error that no property can throw.
    var storedFaultError: (any Error)?

    init(instance: LegacyInstance, concurrencyType: ConcurrencyType = .privateQueueConcurrencyType) {
        self.instance = instance
        self.concurrencyType = concurrencyType
        registered = Array(repeating: [:], count: instance.schema.entities.count)
        queue.setSpecific(key: Self.queueKey, value: ObjectIdentifier(self))
        link.set(self)
        instance.add(self)
    }

    func locked<T>(_ body: () throws -> T) rethrows -> T {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }

    // MARK: Settings

    /// The name that history records with this context's saves.
    public var name: String? {
        get { locked { storedName } }
        set { locked { storedName = newValue } }
    }

    /// The author that history records with this context's saves.
    public var transactionAuthor: String? {
        get { locked { storedAuthor } }
        set { locked { storedAuthor = newValue } }
    }

    /// What becomes of objects that somebody else changed since they were read.
    public var mergePolicy: NSMergePolicy {
        get { locked { storedPolicy } }
        set { locked { storedPolicy = newValue } }
    }

    /// Whether objects that other contexts of the same store save are refreshed here at once. What other instances saved
    /// always is, when it is replayed.
    public var automaticallyMergesChangesFromParent: Bool {
        get { merges.load(ordering: .relaxed) }
        set { merges.store(newValue, ordering: .relaxed) }
    }

    /// The program's own notes.
    public var userInfo: [AnyHashable: Any] {
        get { locked { storedInfo } }
        set { locked { storedInfo = newValue } }
    }

    /// Why a property last read as empty though it was asked for: its object's row could not be read, its fetch failed, or
    /// there is no such property.
    public var faultError: (any Error)? { locked { storedFaultError } }

    // Asked by another context's save, which holds that one's lock: waiting for this one's could block both for ever.
    var automaticallyMergesChangesFromParentUnlocked: Bool { merges.load(ordering: .relaxed) }

    // MARK: Queue

    /// Whether the caller runs on the context's queue.
    private var isOnQueue: Bool { DispatchQueue.getSpecific(key: Self.queueKey) == ObjectIdentifier(self) }

    /// Runs the block on the context's queue, after what waits there.
    public func perform(_ block: @escaping @Sendable () -> Void) {
        queue.async { self.locked(block) }
    }

    /// Runs the block on the context's queue and waits for it.
    public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        if isOnQueue { return try locked(block) }
        return try queue.sync { try locked(block) }
    }

    /// Runs the block on the context's queue.
    public func perform<T: Sendable>(_ block: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.locked(block) }) }
        }
    }

    // MARK: Making objects

    func takeMaking() -> NSManagedObjectID? {
        locked {
            defer { making = nil }
            return making
        }
    }

    /// The object for a saved identity, registered here.
    func makeObject(_ id: NSManagedObjectID, _ type: NSManagedObject.Type? = nil) -> NSManagedObject {
        let object = detachedObject(id, type)
        register(object)
        return object
    }

    /// The object for an identity, registered nowhere.
    func detachedObject(_ id: NSManagedObjectID, _ type: NSManagedObject.Type? = nil) -> NSManagedObject {
        making = id
        let type = type ?? instance.managedObjectModel.managedObjectClass(forEntityName: id.schemaEntity.name)
        return type.init(entity: id.schemaEntity.description, insertInto: self)
    }

    func makeInserted(_ entity: SchemaEntity) -> NSManagedObject {
        instance.managedObjectModel.managedObjectClass(forEntityName: entity.name)
            .init(entity: entity.description, insertInto: self)
    }

    func register(_ object: NSManagedObject) {
        registered[object.id.schemaEntity.rootIndex][object.id.key] = WeakObject(object: object)
        registeredSinceSweep += 1
        if registeredSinceSweep > sweepLimit { sweep() }
    }

    /// Drops the places of objects that nobody holds any more.
    private func sweep() {
        for root in registered.indices where !registered[root].isEmpty {
            registered[root] = registered[root].filter { $0.value.object != nil }
        }
        registeredSinceSweep = 0
        // Half of what is there at least goes by until the next one, so that sweeping stays a fraction of registering.
        sweepLimit = max(50_000, registered.reduce(0) { $0 + $1.count })
    }

    func registeredObject(_ key: RowKey) -> NSManagedObject? {
        key.key < 0 ? newObjects[key.key] : registered[key.root][key.key]?.object
    }

    func registerInserted(_ object: NSManagedObject) {
        locked {
            object.fillDefaults()
            newObjects[object.id.key] = object
            insertedList.append(object)
        }
        object.awakeFromInsert()
    }

    func noteUpdated(_ object: NSManagedObject) {
        locked { updatedList.append(object) }
    }
}
