import StoreModel

/// A fetch by entity name, as a control client asks for it.
public struct ObjectQuery: Sendable, Hashable {
    public var entity: String
    public var predicate: PredicateNode?
    public var sort: [SortKey]
    public var limit: Int?
    public var offset: Int
    public var includesSubentities: Bool

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
        public var isAscending: Bool

        public init(_ keyPath: String, isAscending: Bool = true) {
            self.keyPath = keyPath
            self.isAscending = isAscending
        }
    }
}
