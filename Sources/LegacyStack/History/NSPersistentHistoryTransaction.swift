import StoreFormat

/// What happened to an object.
public enum NSPersistentHistoryChangeType: Int, Sendable {
    case insert = 0
    case update = 1
    case delete = 2
}

/// A change of one object, as history records it.
public final class NSPersistentHistoryChange: NSObject, Sendable, NSFetchRequestResult {
    /// A new request for changes, to give a predicate and then to a history request. Keys are `changeType`,
    /// `changedObjectID`, and those of `transaction`.
    public static var fetchRequest: NSFetchRequest<NSPersistentHistoryChange>? { NSFetchRequest() }

    /// The object.
    public let changedObjectID: NSManagedObjectID
    /// What happened to it.
    public let changeType: NSPersistentHistoryChangeType
    private let change: HistoryChange
    /// The transaction that the change belongs to, without its changes.
    public let transaction: NSPersistentHistoryTransaction?

    init(_ change: HistoryChange, _ entity: SchemaEntity, _ transaction: NSPersistentHistoryTransaction) {
        self.change = change
        self.transaction = transaction
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
public final class NSPersistentHistoryTransaction: NSObject, Sendable, NSFetchRequestResult {
    /// A new request for transactions, to give a predicate and then to a history request:
    ///
    /// ```swift
    /// let others = NSPersistentHistoryTransaction.fetchRequest!
    /// others.predicate = NSPredicate(format: "author != %@", "app")
    /// let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: others)
    /// ```
    ///
    /// Keys are `author`, `contextName`, `processID`, `bundleID`, `storeID`, `transactionNumber` and `timestamp`.
    public static var fetchRequest: NSFetchRequest<NSPersistentHistoryTransaction>? { NSFetchRequest() }

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
        guard withChanges else {
            changes = nil
            return
        }
        let bare = NSPersistentHistoryTransaction(transaction, token, schema, withChanges: false)
        changes = transaction.changes.compactMap { change in
            schema[change.object.entity].map { NSPersistentHistoryChange(change, $0, bare) }
        }
    }

    /// The same transaction with other changes.
    init(_ transaction: NSPersistentHistoryTransaction, changes: [NSPersistentHistoryChange]?) {
        transactionNumber = transaction.transactionNumber
        timestamp = transaction.timestamp
        author = transaction.author
        contextName = transaction.contextName
        processID = transaction.processID
        bundleID = transaction.bundleID
        storeID = transaction.storeID
        token = transaction.token
        self.changes = changes
    }
}
