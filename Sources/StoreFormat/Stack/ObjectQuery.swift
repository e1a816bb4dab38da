import StoreModel

/// A fetch by entity name, as a control client asks for it.
public struct ObjectQuery: Sendable, Hashable {
    /// The entity to fetch.
    public var entity: String
    /// Which objects; nil for all.
    public var predicate: PredicateNode?
    /// The order; then by key.
    public var sort: [SortKey]
    /// How many at most.
    public var limit: Int?
    /// How many to leave out first.
    public var offset: Int
    /// Whether objects of subentities are fetched too.
    public var includesSubentities: Bool

    /// A query.
    public init(
        entity: String, predicate: PredicateNode? = nil, sort: [SortKey] = [], limit: Int? = nil, offset: Int = 0,
        includesSubentities: Bool = true
    ) {
        self.entity = entity
        self.predicate = predicate
        self.sort = sort
        self.limit = limit
        self.offset = offset
        self.includesSubentities = includesSubentities
    }

    /// One sort key; objects that are equal in all keys come by key, so that pages are stable.
    public struct SortKey: Sendable, Hashable {
        /// A key path, over to-one relationships.
        public var keyPath: String
        /// Whether small values come first.
        public var isAscending: Bool

        /// A sort key.
        public init(_ keyPath: String, isAscending: Bool = true) {
            self.keyPath = keyPath
            self.isAscending = isAscending
        }
    }
}
