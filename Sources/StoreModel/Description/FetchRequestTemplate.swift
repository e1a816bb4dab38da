/// A fetch request that a model stores.
public struct FetchRequestTemplate: Sendable, Hashable {
    /// The name that programs ask for the request by.
    public var name: String
    /// The entity that is fetched.
    public var entityName: String
    /// In NSPredicate's format; `$NAME` are variables.
    public var predicateFormat: String?
    /// The order of the results, most important key first; empty for none.
    public var sortDescriptors: [Sort] = []
    /// The greatest number of results; 0 is no limit.
    public var fetchLimit = 0
    /// How many results are left out at the start.
    public var fetchOffset = 0
    /// How many objects are fetched at a time; 0 is all at once.
    public var fetchBatchSize = 0
    /// `NSFetchRequestResultType`: 0 objects, 1 ids, 2 dictionaries, 4 count.
    public var resultType = 0
    /// Whether objects of subentities are found too.
    public var includesSubentities = true
    /// Whether objects come with their values at once.
    public var includesPropertyValues = true
    /// Whether what the context has not saved yet counts.
    public var includesPendingChanges = true
    /// Whether objects may come without their values, to be read when they are asked for.
    public var returnsObjectsAsFaults = true
    /// Whether equal results come once only.
    public var returnsDistinctResults = false
    /// What is fetched into dictionaries; empty for all properties.
    public var propertiesToFetch: [FetchedValue] = []
    /// What results are grouped by; empty for nothing.
    public var propertiesToGroupBy: [FetchedValue] = []
    /// What has to hold of a group, in NSPredicate's format; nil for nothing.
    public var havingPredicateFormat: String?
    /// The relationships whose objects are fetched along.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// `NSAllocationType` of an archive, whose values are not known one by one.
    public var allocationType = 0
    /// `NSFetchRequestFlags` of an archive, which holds the five options above and perhaps more; nil where the model is no
    /// archive.
    public var flags: Int?

    /// Makes a request with the defaults for everything else.
    public init(name: String, entityName: String, predicateFormat: String? = nil) {
        self.name = name
        self.entityName = entityName
        self.predicateFormat = predicateFormat
    }

    /// One sort key.
    public struct Sort: Sendable, Hashable {
        /// The key path that is sorted by.
        public var key: String
        /// Whether the least value comes first.
        public var isAscending: Bool
        /// The name of the comparing method, `NSSelector` of an archive; nil where none is given.
        public var selector: String?
        /// `NSReverseNullOrder` of an archive: whether objects without a value come at the other end than usual.
        public var reversesNullOrder: Bool

        /// Makes a sort key.
        public init(key: String, isAscending: Bool = true, selector: String? = nil, reversesNullOrder: Bool = false) {
            self.key = key
            self.isAscending = isAscending
            self.selector = selector
            self.reversesNullOrder = reversesNullOrder
        }
    }

    /// A property that is fetched, or an expression under a name.
    public struct FetchedValue: Sendable, Hashable, ExpressibleByStringLiteral {
        /// The property's name or key path, or the expression's name.
        public var name: String
        /// The expression in NSExpression's format; nil for a property.
        public var expressionFormat: String?
        /// The type of the expression's value; nil for a property, and where the model names none.
        public var resultType: AttributeType?

        /// A property, or an expression.
        public init(name: String, expressionFormat: String? = nil, resultType: AttributeType? = nil) {
            self.name = name
            self.expressionFormat = expressionFormat
            self.resultType = resultType
        }

        /// A property.
        public init(stringLiteral name: String) { self.init(name: name) }
    }
}

extension FetchRequestTemplate {
    /// The bits of `NSFetchRequestFlags` (Format, section 7).
    private static let options: [(bit: Int, option: WritableKeyPath<Self, Bool> & Sendable)] = [
        (1, \.returnsDistinctResults), (2, \.includesSubentities), (4, \.includesPropertyValues),
        (8, \.returnsObjectsAsFaults), (16, \.includesPendingChanges),
    ]

    /// Takes the options out of an archive's flags, which are kept beside them.
    mutating func setOptions(flags: Int) {
        self.flags = flags
        for (bit, option) in Self.options { self[keyPath: option] = flags & bit != 0 }
    }

    /// The flags for an archive: the options, and whatever else the flags that were read say.
    var archivedFlags: Int {
        Self.options.reduce(flags ?? 0) { self[keyPath: $1.option] ? $0 | $1.bit : $0 & ~$1.bit }
    }
}
