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
