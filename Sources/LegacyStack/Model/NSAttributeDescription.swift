import StoreModel

/// The types of attributes, with Core Data's numbers.
public enum NSAttributeType: UInt, Sendable {
    case undefinedAttributeType = 0
    case integer16AttributeType = 100
    case integer32AttributeType = 200
    case integer64AttributeType = 300
    case decimalAttributeType = 400
    case doubleAttributeType = 500
    case floatAttributeType = 600
    case stringAttributeType = 700
    case booleanAttributeType = 800
    case dateAttributeType = 900
    case binaryDataAttributeType = 1000
    case UUIDAttributeType = 1100
    case URIAttributeType = 1200
    case transformableAttributeType = 1800
    case objectIDAttributeType = 2000
    case compositeAttributeType = 2100
}

/// An attribute of an entity.
open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
    // Sendable for the reason that NSPropertyDescription gives.
    private var base = AttributeDescription(name: "", type: .undefined) { willSet { checkMutable() } }

    override public init() {}

    convenience init(_ attribute: AttributeDescription) {
        self.init()
        base = attribute
        name = attribute.name
        isOptional = attribute.isOptional
        isTransient = attribute.isTransient
        versionHashModifier = attribute.versionHashModifier
        renamingIdentifier = attribute.renamingIdentifier
        userInfo = attribute.userInfo.mapValues { ModelValues.object($0) ?? NSNull() }
    }

    /// The description of an attribute, of the class that its kind asks for.
    static func make(_ attribute: AttributeDescription) -> NSAttributeDescription {
        if attribute.isDerived { return NSDerivedAttributeDescription(derived: attribute) }
        return attribute.isComposite
            ? NSCompositeAttributeDescription(composite: attribute) : NSAttributeDescription(attribute)
    }

    /// The attribute's type.
    public var attributeType: NSAttributeType {
        get { NSAttributeType(rawValue: UInt(base.type.rawValue)) ?? .undefinedAttributeType }
        set { base.type = AttributeType(rawValue: Int(newValue.rawValue)) ?? .undefined }
    }

    /// The name of the class of the values.
    public var attributeValueClassName: String? {
        get { base.valueClassName }
        set { base.valueClassName = newValue }
    }

    /// What a new object starts with.
    public var defaultValue: Any? {
        get { base.defaultValue.flatMap { ModelValues.object($0) } }
        set { base.defaultValue = newValue.flatMap { ModelValues.value($0) } }
    }

    /// The name of the transformer that makes a transformable's archive.
    public var valueTransformerName: String? {
        get { base.valueTransformerName }
        set { base.valueTransformerName = newValue }
    }

    /// Whether large values lie in files beside the store.
    public var allowsExternalBinaryDataStorage: Bool {
        get { base.allowsExternalBinaryDataStorage }
        set { base.allowsExternalBinaryDataStorage = newValue }
    }

    /// Whether a deletion keeps the value in its history.
    public var preservesValueInHistoryOnDeletion: Bool {
        get { base.preservesValueInHistoryOnDeletion }
        set { base.preservesValueInHistoryOnDeletion = newValue }
    }

    /// Whether SQLite's triggers compute the value.
    public var isDerived: Bool { base.isDerived }

    /// The attribute as a value.
    var attribute: AttributeDescription {
        var result = base
        result.name = name
        result.isOptional = isOptional
        result.isTransient = isTransient
        result.versionHashModifier = versionHashModifier
        result.renamingIdentifier = renamingIdentifier
        result.userInfo = ModelValues.userInfo(userInfo)
        return result
    }
}
