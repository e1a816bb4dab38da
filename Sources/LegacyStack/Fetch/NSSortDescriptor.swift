/// A key to sort by.
open class NSSortDescriptor: NSObject, @unchecked Sendable {
    // Sendable: nothing changes after `init`.

    /// How texts are compared.
    public enum TextOrder: Sendable {
        /// By their bytes, as SQLite does.
        case literal
        /// Without regard to case.
        case caseInsensitive
    }

    /// The key path, over to-one relationships.
    public let key: String?
    /// Whether small values come first. Missing values are the smallest.
    public let ascending: Bool
    /// How texts are compared.
    public let textOrder: TextOrder

    /// Sorts by a key.
    public init(key: String?, ascending: Bool, textOrder: TextOrder = .literal) {
        self.key = key
        self.ascending = ascending
        self.textOrder = textOrder
    }

    /// The same key, the other way round.
    open var reversedSortDescriptor: Any {
        NSSortDescriptor(key: key, ascending: !ascending, textOrder: textOrder)
    }
}
