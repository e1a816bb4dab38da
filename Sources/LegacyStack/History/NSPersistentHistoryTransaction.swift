import StoreFormat

/// What happened to an object.
public enum NSPersistentHistoryChangeType: Int, Sendable {
    case insert = 0
    case update = 1
    case delete = 2
}

/// A change of one object, as history records it.
public final class NSPersistentHistoryChange: NSObject, Sendable {
    /// The object.
    public let changedObjectID: NSManagedObjectID
    /// What happened to it.
    public let changeType: NSPersistentHistoryChangeType
    private let change: HistoryChange

    init(_ change: HistoryChange, _ entity: SchemaEntity) {
        self.change = change
        changedObjectID = NSManagedObjectID(entity, key: change.object.key)
        changeType = NSPersistentHistoryChangeType(rawValue: Int(change.kind.rawValue)) ?? .update
    }

    /// The properties that an update marked; nil for other changes.
    public var updatedProperties: Set<NSPropertyDescription>? {
        guard changeType == .update else { return nil }
        let properties = changedObjectID.entity.propertiesByName
        return Set(change.properties.compactMap { properties[$0] })
    }

    /// The values that a deletion preserved; nil where there are none.
    public var tombstone: [AnyHashable: Any]? {
        guard changeType == .delete, !change.tombstone.isEmpty else { return nil }
        var values: [AnyHashable: Any] = [:]
        for (name, value) in change.tombstone {
            guard let attribute = changedObjectID.schemaEntity.layout.attribute(name) else { continue }
            values[name] = ValueBox.object(value, attribute.description)
        }
        return values
    }
}

/// A save, as history records it.
public final class NSPersistentHistoryTransaction: NSObject, Sendable {
    /// The transaction's number.
    public let transactionNumber: Int64
    /// When it was committed.
    public let timestamp: Date
    /// The author that the context had.
    public let author: String?
    /// The name that the context had.
    public let contextName: String?
    /// The process.
    public let processID: String
    /// The program.
    public let bundleID: String
    /// The store's UUID.
    public let storeID: String
    /// The place right behind this transaction.
    public let token: NSPersistentHistoryToken
    /// What changed; nil where only the transactions were asked for.
    public let changes: [NSPersistentHistoryChange]?

    init(_ transaction: HistoryTransaction, _ token: HistoryToken, _ schema: Schema, withChanges: Bool) {
        transactionNumber = transaction.number
        timestamp = transaction.timestamp
        author = transaction.author
        contextName = transaction.contextName
        processID = transaction.processID ?? ""
        bundleID = transaction.bundleID ?? ""
        storeID = token.storeUUID
        self.token = NSPersistentHistoryToken(token)
        changes =
            withChanges
            ? transaction.changes.compactMap { change in
                schema[change.object.entity].map { NSPersistentHistoryChange(change, $0) }
            } : nil
    }
}
