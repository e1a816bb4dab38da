import StoreFormat

/// What a fetch gives.
public enum NSFetchRequestResultType: UInt, Sendable {
    case managedObjectResultType = 0
    case managedObjectIDResultType = 1
    case dictionaryResultType = 2
    case countResultType = 4
}

/// A description of what to fetch.
open class NSFetchRequest<Result: NSFetchRequestResult>: NSPersistentStoreRequest {
    /// The name of the entity.
    public private(set) var entityName: String?
    /// Which objects; nil for all.
    open var predicate: NSPredicate?
    /// The order; objects that are equal in all keys come by their key in the store.
    open var sortDescriptors: [NSSortDescriptor]?
    /// How many at most; 0 for all.
    open var fetchLimit = 0
    /// How many to leave out at the start.
    open var fetchOffset = 0
    /// Taken as a hint only: rows are read at once, and decoded when they are asked for.
    open var fetchBatchSize = 0
    /// What the fetch gives.
    open var resultType = NSFetchRequestResultType.managedObjectResultType
    /// What dictionaries hold: names or descriptions of properties; nil for all attributes.
    open var propertiesToFetch: [Any]?
    /// Whether equal dictionaries come once.
    open var returnsDistinctResults = false
    /// Whether objects of subentities are found.
    open var includesSubentities = true
    /// Whether unsaved changes of the context count.
    open var includesPendingChanges = true
    /// Whether the rows' values are read with the objects.
    open var includesPropertyValues = true
    /// Whether objects stay faults until they are looked at; their rows are there either way.
    open var returnsObjectsAsFaults = true
    /// Whether objects that are registered already take the values that the fetch found.
    open var shouldRefreshRefetchedObjects = false
    /// Relationships to read ahead; nothing here depends on it.
    open var relationshipKeyPathsForPrefetching: [String]?

    override public init() {}

    /// Fetches objects of an entity.
    public init(entityName: String) {
        self.entityName = entityName
    }

    /// The entity.
    public var entity: NSEntityDescription? {
        didSet { entityName = entity?.name }
    }
}
