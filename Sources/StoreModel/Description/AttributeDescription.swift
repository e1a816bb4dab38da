/// The type of an attribute, with Core Data's number for it (`NSAttributeType`).
public enum AttributeType: Int, Sendable, Hashable, CaseIterable {
    case undefined = 0
    case integer16 = 100
    case integer32 = 200
    case integer64 = 300
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case boolean = 800
    case date = 900
    case binaryData = 1000
    case uuid = 1100
    case uri = 1200
    case transformable = 1800
    case objectID = 2000
    case composite = 2100
}

/// An attribute of an entity; also the element of a composite attribute.
public struct AttributeDescription: Sendable, Hashable {
    public var name: String
    public var type: AttributeType
    public var isOptional = false
    public var isTransient = false
    public var defaultValue: ModelValue?
    /// `NSAttributeValueClassName`, such as `NSString` or, for a transformable, the class it holds.
    public var valueClassName: String?
    public var valueTransformerName: String?
    /// `NSFlagsKey` bit 4: large values lie in files beside the store.
    public var allowsExternalBinaryDataStorage = false
    /// `NSFlagsKey` bit 16: the value goes into the tombstone of a deletion's history.
    public var preservesValueInHistoryOnDeletion = false
    public var allowsCloudEncryption = false
    public var isIndexed = false
    public var isIndexedBySpotlight = false
    public var isStoredInTruthFile = false
    public var isReadOnly = false
    public var isSyncable = true
    public var usesScalarValueType: Bool?
    public var minimum: ModelValue?
    public var maximum: ModelValue?
    public var regularExpression: String?
    /// Validation predicates in NSPredicate's format, with the warning number or text that goes with each.
    public var validations: [Validation] = []
    /// What SQLite triggers compute, such as `pages.@count`; nil where the attribute is not derived.
    public var derivation: DerivationExpression?
    /// The elements of a composite, in declared order.
    public var elements: [AttributeDescription] = []
    /// The name of the composite that the model editor shares between attributes.
    public var compositeName: String?
    public var versionHashModifier: String?
    public var renamingIdentifier: String?
    public var userInfo: [String: ModelValue] = [:]

    public init(name: String, type: AttributeType, isOptional: Bool = false) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
    }

    public var isDerived: Bool { derivation != nil }
    public var isComposite: Bool { type == .composite }

    /// A rule that a value must pass before it is saved.
    public struct Validation: Sendable, Hashable {
        public var predicateFormat: String
        public var warning: ModelValue?

        public init(predicateFormat: String, warning: ModelValue? = nil) {
            self.predicateFormat = predicateFormat
            self.warning = warning
        }
    }
}

/// The expression behind a derived attribute.
public struct DerivationExpression: Sendable, Hashable {
    /// The text that the version hash takes: `primaryLabel.code`, `count:(pages)` (Format, section 9).
    public var hashDescription: String
    /// The text as a person writes it in a model: `pages.@count`.
    public var format: String
    public var filteringPredicateFormat: String?

    public init(hashDescription: String, format: String, filteringPredicateFormat: String? = nil) {
        self.hashDescription = hashDescription
        self.format = format
        self.filteringPredicateFormat = filteringPredicateFormat
    }
}
