import StoreFormat

/// A place in a store's history.
public final class NSPersistentHistoryToken: NSObject, Sendable {
    /// The store, its timeline and the transaction's number.
    public let token: HistoryToken

    /// Makes a token of a place in history.
    public init(_ token: HistoryToken) {
        self.token = token
    }

    override public func isEqual(_ object: Any?) -> Bool { (object as? NSPersistentHistoryToken)?.token == token }
    override public var hash: Int { token.hashValue }
    /// `<store UUID>:<timeline>:<transaction>`.
    override public var description: String { token.description }
}
