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
    public var name: String
    public var isOptional = true
    public var isSyncable = true
    public var request: FetchRequestTemplate
    public var versionHashModifier: String?
    public var renamingIdentifier: String?
    public var userInfo: [String: ModelValue] = [:]

    public init(name: String, request: FetchRequestTemplate) {
        self.name = name
        self.request = request
    }
}

/// A fetch request that a model stores.
public struct FetchRequestTemplate: Sendable, Hashable {
    public var name: String
    public var entityName: String
    /// In NSPredicate's format; `$NAME` are variables.
    public var predicateFormat: String?
    public var sortDescriptors: [Sort] = []
    public var fetchLimit = 0
    public var fetchOffset = 0
    public var fetchBatchSize = 0
    /// `NSFetchRequestResultType`: 0 objects, 1 ids, 2 dictionaries, 4 count.
    public var resultType = 0
    public var includesSubentities = true
    public var includesPropertyValues = true
    public var includesPendingChanges = true
    public var returnsObjectsAsFaults = true
    public var returnsDistinctResults = false
    /// `NSFetchRequestFlags` of an archive, whose bits are not known one by one; nil where the model is no archive.
    public var flags: Int?

    public init(name: String, entityName: String, predicateFormat: String? = nil) {
        self.name = name
        self.entityName = entityName
        self.predicateFormat = predicateFormat
    }

    /// One sort key.
    public struct Sort: Sendable, Hashable {
        public var key: String
        public var isAscending: Bool
        public var selector: String?

        public init(key: String, isAscending: Bool = true, selector: String? = nil) {
            self.key = key
            self.isAscending = isAscending
            self.selector = selector
        }
    }
}

/// An index of an entity's table.
public struct FetchIndexDescription: Sendable, Hashable {
    public var name: String
    public var elements: [Element]
    /// In NSPredicate's format.
    public var partialIndexPredicateFormat: String?

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
        public var isExpression: Bool
        public var kind: Kind
        public var isAscending: Bool

        public init(property: String, isExpression: Bool = false, kind: Kind = .binary, isAscending: Bool = true) {
            self.property = property
            self.isExpression = isExpression
            self.kind = kind
            self.isAscending = isAscending
        }
    }
}
