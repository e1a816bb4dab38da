import StoreFormat

/// What a batch delete gives.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    case resultTypeStatusOnly = 0
    case resultTypeObjectIDs = 1
    case resultTypeCount = 2
}

/// Deletes what a fetch finds, or the objects of some identities, in one transaction: with the model's delete rules and
/// history, or not at all.
///
/// ```swift
/// let old = NSFetchRequest<Book>(entityName: "Book")
/// old.predicate = NSPredicate(format: "published < %@", date)
/// try context.execute(NSBatchDeleteRequest(fetchRequest: old))
/// ```
public final class NSBatchDeleteRequest: NSPersistentStoreRequest {
    enum Source {
        case fetch(BatchQuery)
        case identities([NSManagedObjectID])
    }

    let source: Source
    /// What the request gives.
    public var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly

    /// Deletes what the fetch finds in the store. Its order, limit and offset count.
    public init<R>(fetchRequest: NSFetchRequest<R>) {
        source = .fetch(BatchQuery(fetchRequest))
    }

    /// Deletes the objects of the identities; those that are gone already are passed over.
    public init(objectIDs: [NSManagedObjectID]) {
        source = .identities(objectIDs)
    }
}

/// What a batch delete gave.
public final class NSBatchDeleteResult: NSPersistentStoreResult {
    /// By the request's type: whether it was done, `[NSManagedObjectID]`, or how many objects; those that the rules
    /// reached are among them.
    public let result: Any?
    /// The request's type.
    public let resultType: NSBatchDeleteRequestResultType

    init(_ result: Any?, _ type: NSBatchDeleteRequestResultType) {
        self.result = result
        resultType = type
    }
}
