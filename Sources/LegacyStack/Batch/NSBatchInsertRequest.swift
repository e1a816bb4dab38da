import Foundation
import StoreFormat

/// What a batch insert gives.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    case statusOnly = 0
    case objectIDs = 1
    case count = 2
}

/// Inserts objects of one entity in one transaction, with validation and history.
public final class NSBatchInsertRequest: NSPersistentStoreRequest {
    enum Source {
        case dictionaries([[String: Any]])
        case dictionaryHandler((NSMutableDictionary) -> Bool)
        case objectHandler((NSManagedObject) -> Bool)
    }

    /// The entity's name.
    public let entityName: String
    let source: Source
    /// What the request gives.
    public var resultType = NSBatchInsertRequestResultType.statusOnly

    /// Inserts an object for each dictionary of values.
    public init(entityName: String, objects: [[String: Any]]) {
        self.entityName = entityName
        source = .dictionaries(objects)
    }

    /// Inserts an object for each dictionary that the block fills, until it returns true.
    public init(entityName: String, dictionaryHandler: @escaping (NSMutableDictionary) -> Bool) {
        self.entityName = entityName
        source = .dictionaryHandler(dictionaryHandler)
    }

    /// Inserts an object for each call of the block, which sets its values, until it returns true.
    public init(entityName: String, managedObjectHandler: @escaping (NSManagedObject) -> Bool) {
        self.entityName = entityName
        source = .objectHandler(managedObjectHandler)
    }
}

/// What a batch insert gave.
public final class NSBatchInsertResult: NSPersistentStoreResult {
    /// By the request's type: whether it was done, `[NSManagedObjectID]`, or how many objects.
    public let result: Any?
    /// The request's type.
    public let resultType: NSBatchInsertRequestResultType

    init(_ result: Any?, _ type: NSBatchInsertRequestResultType) {
        self.result = result
        resultType = type
    }
}
