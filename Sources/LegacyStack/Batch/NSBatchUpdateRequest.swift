import StoreFormat

/// What a batch update gives.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    case statusOnlyResultType = 0
    case updatedObjectIDsResultType = 1
    case updatedObjectsCountResultType = 2
}

/// Sets properties of every object that a predicate finds, in one transaction, with validation and history.
public final class NSBatchUpdateRequest: NSPersistentStoreRequest {
    /// The entity's name.
    public let entityName: String
    /// Which objects; nil for all.
    public var predicate: NSPredicate?
    /// The values by property name; `NSNull` for none. A to-one takes an object or its identity.
    public var propertiesToUpdate: [AnyHashable: Any]?
    /// Whether objects of subentities are updated.
    public var includesSubentities = true
    /// What the request gives.
    public var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType

    /// Updates objects of an entity.
    public init(entityName: String) {
        self.entityName = entityName
    }

    /// Updates objects of an entity.
    public convenience init(entity: NSEntityDescription) {
        self.init(entityName: entity.name ?? "")
    }
}

/// What a batch update gave.
public final class NSBatchUpdateResult: NSPersistentStoreResult {
    /// By the request's type: whether it was done, `[NSManagedObjectID]`, or how many objects. Objects whose values were
    /// equal already are not among them.
    public let result: Any?
    /// The request's type.
    public let resultType: NSBatchUpdateRequestResultType

    init(_ result: Any?, _ type: NSBatchUpdateRequestResultType) {
        self.result = result
        resultType = type
    }
}
