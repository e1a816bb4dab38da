import Foundation

/// A value that a model carries: a default, an entry of `userInfo`, a bound.
public indirect enum ModelValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case decimal(Decimal)
    case string(String)
    case date(Date)
    case data(Data)
    case uuid(UUID)
    case url(String)
    case array([ModelValue])
    case dictionary([String: ModelValue])
    /// An archived object of a class without a value form here: the class's name and its keyed archive, kept whole.
    case archived(className: String, archive: Data)
}

/// A property whose value is the result of a fetch.
public struct FetchedPropertyDescription: Sendable, Hashable {
    /// The property's name.
    public var name: String
    /// `optional` of the model.
    public var isOptional = true
    /// `syncable` of a model's source; nil where it says nothing of it.
    public var isSyncable: Bool?
    /// The fetch that gives the property its value.
    public var request: FetchRequestTemplate
    /// The modifier that the model gives; fetched properties have no part in the version hash.
    public var versionHashModifier: String?
    /// The name that the property had in an earlier version of the model; nil where it is `name`.
    public var renamingIdentifier: String?
    /// What the model's author noted beside the property, by key.
    public var userInfo: [String: ModelValue] = [:]

    /// Makes a fetched property with the defaults for everything else.
    public init(name: String, request: FetchRequestTemplate) {
        self.name = name
        self.request = request
    }
}

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
    /// The properties that are fetched into dictionaries; empty for all.
    public var propertiesToFetch: [String] = []
    /// The properties that results are grouped by; empty for none.
    public var propertiesToGroupBy: [String] = []
    /// What has to hold of a group, in NSPredicate's format; nil for nothing.
    public var havingPredicateFormat: String?
    /// The relationships whose objects are fetched along.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// `NSAllocationType` of an archive, whose values are not known one by one.
    public var allocationType = 0
    /// `NSFetchRequestFlags` of an archive, whose bits are not known one by one; nil where the model is no archive.
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
}

/// An index of an entity's table.
public struct FetchIndexDescription: Sendable, Hashable {
    /// The index's name.
    public var name: String
    /// The columns, in the order in which they are indexed.
    public var elements: [Element]
    /// In NSPredicate's format.
    public var partialIndexPredicateFormat: String?

    /// Makes an index.
    public init(name: String, elements: [Element], partialIndexPredicateFormat: String? = nil) {
        self.name = name
        self.elements = elements
        self.partialIndexPredicateFormat = partialIndexPredicateFormat
    }

    /// A column of the index.
    public struct Element: Sendable, Hashable {
        /// `NSFetchIndexElementType`.
        public enum Kind: Int, Sendable, Hashable {
            case binary = 0
            case rTree = 1
        }

        /// What is indexed: a property's name, or an expression such as `self` (the key) or `self.entity`.
        public var property: String
        /// Whether `property` is an expression instead of a property's name.
        public var isExpression: Bool
        /// The kind of index that the column goes into.
        public var kind: Kind
        /// Whether the least value comes first.
        public var isAscending: Bool
        /// The type of an expression's value; nil where it is the usual one: an object's identity for `self`, undefined for
        /// everything else.
        public var expressionType: AttributeType?

        /// Makes a column of an index.
        public init(
            property: String, isExpression: Bool = false, kind: Kind = .binary, isAscending: Bool = true,
            expressionType: AttributeType? = nil
        ) {
            self.property = property
            self.isExpression = isExpression
            self.kind = kind
            self.isAscending = isAscending
            self.expressionType = expressionType
        }

        /// The type that frameworks note for an expression of which nothing else is said.
        var usualExpressionType: AttributeType { property.lowercased() == "self" ? .objectID : .undefined }
    }
}
