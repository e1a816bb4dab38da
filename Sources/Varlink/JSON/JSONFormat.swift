/// How JSON is laid out as text.
public struct JSONFormat: Sendable, Hashable {
    /// Spaces a level, one member a line; nil for one line without spaces.
    public var indentation: Int?
    /// Whether members are ordered by key (by Unicode scalar) instead of by insertion.
    public var sortsKeys: Bool

    /// A layout.
    public init(indentation: Int? = nil, sortsKeys: Bool = false) {
        self.indentation = indentation
        self.sortsKeys = sortsKeys
    }

    /// One line without spaces, members in the order of their insertion.
    public static let compact = JSONFormat()
    /// Two spaces a level, members in the order of their insertion.
    public static let pretty = JSONFormat(indentation: 2)
}
