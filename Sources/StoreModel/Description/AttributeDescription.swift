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
    /// The attribute's name, which is also its key in an object.
    public var name: String
    /// The type of the values.
    public var type: AttributeType
    /// Whether an object may be saved without a value.
    public var isOptional = false
    /// Whether the value lives in memory only; a transient attribute has no part in the version hash.
    public var isTransient = false
    /// What a new object starts with; nil for no value.
    public var defaultValue: ModelValue?
    /// `NSAttributeValueClassName`, such as `NSString` or, for a transformable, the class it holds.
    public var valueClassName: String?
    /// The name that the transformer of a transformable attribute is registered under.
    public var valueTransformerName: String?
    /// `NSFlagsKey` bit 4: large values lie in files beside the store.
    public var allowsExternalBinaryDataStorage = false
    /// `NSFlagsKey` bit 16: the value goes into the tombstone of a deletion's history.
    public var preservesValueInHistoryOnDeletion = false
    /// Whether CloudKit may keep the value encrypted; the version hash does not depend on it.
    public var allowsCloudEncryption = false
    /// The flag `indexed` from before fetch indexes; the version hash does not depend on it.
    public var isIndexed = false
    /// Whether Spotlight is to index the value; the version hash does not depend on it.
    public var isIndexedBySpotlight = false
    /// `storedInTruthFile` of the model; the version hash does not depend on it.
    public var isStoredInTruthFile = false
    /// `NSIsReadOnly` of a compiled model, which is written for a derived attribute in any case.
    public var isReadOnly = false
    /// `syncable` of a model's source, nil where it says nothing of it; the version hash does not depend on it.
    public var isSyncable: Bool?
    /// `usesScalarValueType` of a model's source; nil where it says nothing of it.
    public var usesScalarValueType: Bool?
    /// The least value that is valid, or the least length of a text.
    public var minimum: ModelValue?
    /// The greatest value that is valid, or the greatest length of a text.
    public var maximum: ModelValue?
    /// The pattern that a text has to match to be valid.
    public var regularExpression: String?
    /// Validation predicates in NSPredicate's format, with the warning number or text that goes with each.
    public var validations: [Validation] = []
    /// What SQLite triggers compute, such as `pages.@count`; nil where the attribute is not derived.
    public var derivation: DerivationExpression?
    /// The elements of a composite, in declared order.
    public var elements: [AttributeDescription] = []
    /// The name of the composite that the model editor shares between attributes.
    public var compositeName: String?
    /// Text that goes into the version hash; the hash of a derived or composite attribute leaves it out.
    public var versionHashModifier: String?
    /// The name that lightweight migration matches this attribute by, when it is not `name`.
    public var renamingIdentifier: String?
    /// What the model's author noted beside the attribute, by key.
    public var userInfo: [String: ModelValue] = [:]

    /// Makes an attribute with the defaults for everything else.
    public init(name: String, type: AttributeType, isOptional: Bool = false) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
    }

    /// Whether SQLite triggers compute the value.
    public var isDerived: Bool { derivation != nil }
    /// Whether the value is made of `elements`.
    public var isComposite: Bool { type == .composite }
    /// What has a column of its own: the attribute itself, or a composite's elements at any depth, in declared order.
    public var leaves: [AttributeDescription] { isComposite ? elements.flatMap(\.leaves) : [self] }

    /// A rule that a value must pass before it is saved.
    public struct Validation: Sendable, Hashable {
        /// What has to hold of the value, in NSPredicate's format.
        public var predicateFormat: String
        /// The warning number or text that goes with the rule; nil for none.
        public var warning: ModelValue?

        /// Makes a rule.
        public init(predicateFormat: String, warning: ModelValue? = nil) {
            self.predicateFormat = predicateFormat
            self.warning = warning
        }
    }
}

/// The expression behind a derived attribute.
public struct DerivationExpression: Sendable, Hashable {
    /// The expression as the model has it, which is what the version hash takes: `primaryLabel.code`, `pages.@count`,
    /// `count:(pages)` (Format, section 9).
    public var hashDescription: String
    /// What it computes, in the one form of all that say the same: `pages.@count` for `count:(pages)` too.
    public var format: String
    /// Which objects the derivation takes in, in NSPredicate's format; nil for all.
    public var filteringPredicateFormat: String?

    /// Makes a derivation from both of its texts.
    public init(hashDescription: String, format: String, filteringPredicateFormat: String? = nil) {
        self.hashDescription = hashDescription
        self.format = format
        self.filteringPredicateFormat = filteringPredicateFormat
    }
}
