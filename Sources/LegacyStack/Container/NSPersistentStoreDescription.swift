import Foundation

/// The option that switches history on; it is on unless a description says otherwise.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// The option that opens a store for reading only.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// The option that has `NSPersistentStoreRemoteChange` posted when somebody commits to the store.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
    "NSPersistentStoreRemoteChangeNotificationPostOptionKey"
/// In the notification: the store's UUID, a string.
public let NSStoreUUIDKey = "NSStoreUUID"
/// In the notification: the store's file, a `URL`.
public let NSPersistentStoreURLKey = "storeURL"
/// In the notification: the token of the last transaction that the contexts reflect.
public let NSPersistentHistoryTokenKey = "historyToken"

extension Notification.Name {
    /// Posted by a coordinator whose store was opened with `NSPersistentStoreRemoteChangeNotificationPostOptionKey`, once
    /// its contexts have what was committed.
    public static let NSPersistentStoreRemoteChange = Notification.Name("NSPersistentStoreRemoteChangeNotification")
}

/// The only type of store here.
public let NSSQLiteStoreType = "SQLite"

/// Where a container's store lies and how it is opened.
public final class NSPersistentStoreDescription: NSObject {
    /// The file.
    public var url: URL?
    /// `SQLite`, the only type there is.
    public var type = NSSQLiteStoreType
    /// The configuration of the model whose entities the store has; nil for all entities.
    public var configuration: String?
    /// Whether the store is opened for reading only.
    public var isReadOnly = false
    /// Whether `loadPersistentStores` returns before the store is open. Here it never does.
    public var shouldAddStoreAsynchronously = false
    /// Details that Core Data has no option for.
    public var instanceOptions = LegacyInstance.Options()
    private var storedOptions: [String: NSObject] = [NSPersistentHistoryTrackingKey: NSNumber(value: true)]

    override public init() {}

    /// Describes a store at a file.
    public init(url: URL) {
        self.url = url
    }

    /// The options that were set.
    public var options: [String: NSObject] { storedOptions }

    /// Sets an option.
    public func setOption(_ option: NSObject?, forKey key: String) {
        storedOptions[key] = option
    }

    var postsRemoteChanges: Bool {
        (storedOptions[NSPersistentStoreRemoteChangeNotificationPostOptionKey] as? NSNumber)?.boolValue ?? false
    }

    var openingOptions: LegacyInstance.Options {
        var result = instanceOptions
        let isReadOnlyOption = (storedOptions[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue ?? false
        result.isReadOnly = isReadOnly || isReadOnlyOption || instanceOptions.isReadOnly
        if let tracking = storedOptions[NSPersistentHistoryTrackingKey] as? NSNumber {
            result.isTracking = tracking.boolValue
        }
        return result
    }
}
