import StoreFormat

/// What a history request gives.
public enum NSPersistentHistoryResultType: Int, Sendable {
    case statusOnly = 0
    case objectIDs = 1
    case count = 2
    case transactionsOnly = 3
    case changesOnly = 4
    case transactionsAndChanges = 5
}

/// Asks for a store's history, or for purging it.
public final class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    enum Place {
        case token(NSPersistentHistoryToken?)
        case date(Date)
    }

    let place: Place
    let isDeletion: Bool
    /// What the request gives.
    public var resultType = NSPersistentHistoryResultType.transactionsAndChanges
    /// A request of `NSPersistentHistoryTransaction.fetchRequest` or `NSPersistentHistoryChange.fetchRequest`, whose predicate
    /// says what of history is wanted; nil for all.
    public var fetchRequest: NSPersistentStoreRequest?

    private init(_ place: Place, isDeletion: Bool) {
        self.place = place
        self.isDeletion = isDeletion
    }

    /// History after a token; all of it with nil.
    public class func fetchHistory(after token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.token(token), isDeletion: false)
    }

    /// History after a transaction.
    public class func fetchHistory(
        after transaction: NSPersistentHistoryTransaction
    ) -> NSPersistentHistoryChangeRequest {
        fetchHistory(after: transaction.token)
    }

    /// What of history fits a request's predicate.
    public class func fetchHistory<R>(withFetch request: NSFetchRequest<R>) -> NSPersistentHistoryChangeRequest {
        let history = NSPersistentHistoryChangeRequest(.token(nil), isDeletion: false)
        history.fetchRequest = request
        return history
    }

    /// History after a moment.
    public class func fetchHistory(after date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.date(date), isDeletion: false)
    }

    /// Purges history up to a token, as far as the store's durable consumers allow.
    public class func deleteHistory(before token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.token(token), isDeletion: true)
    }

    /// Purges history that is older than a moment, as far as the store's durable consumers allow.
    public class func deleteHistory(before date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.date(date), isDeletion: true)
    }
}

/// What a history request gave.
public final class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// By the request's type: transactions, changes, identities, a number, or whether a purge was done.
    public let result: Any?
    /// The request's type.
    public let resultType: NSPersistentHistoryResultType

    init(_ result: Any?, _ type: NSPersistentHistoryResultType) {
        self.result = result
        resultType = type
    }
}
