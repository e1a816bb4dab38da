import StoreModel

/// What happens at the other end when an object is deleted.
public enum NSDeleteRule: UInt, Sendable {
    case noActionDeleteRule = 0
    case nullifyDeleteRule = 1
    case cascadeDeleteRule = 2
    case denyDeleteRule = 3
}

/// A relationship of an entity.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
    // Sendable for the reason that NSPropertyDescription gives.
    private var base = RelationshipDescription(name: "", destination: "", maxCount: 0) { willSet { checkMutable() } }
    private weak var destination: NSEntityDescription? { willSet { checkMutable() } }
    private weak var inverse: NSRelationshipDescription? { willSet { checkMutable() } }

    override public init() {}

    convenience init(_ relationship: RelationshipDescription) {
        self.init()
        base = relationship
        name = relationship.name
        isOptional = relationship.isOptional
        isTransient = relationship.isTransient
        versionHashModifier = relationship.versionHashModifier
        renamingIdentifier = relationship.renamingIdentifier
        userInfo = relationship.userInfo.mapValues { ModelValues.object($0) ?? NSNull() }
    }

    /// The entity at the other end.
    public var destinationEntity: NSEntityDescription? {
        get { destination }
        set {
            destination = newValue
            base.destinationEntityName = newValue?.name ?? ""
        }
    }

    /// The same relationship as the other end sees it.
    public var inverseRelationship: NSRelationshipDescription? {
        get { inverse }
        set { inverse = newValue }
    }

    /// How many objects at least; 0 for any number.
    public var minCount: Int {
        get { base.minCount }
        set { base.minCount = newValue }
    }

    /// How many objects at most: 1 is to-one, 0 is any number.
    public var maxCount: Int {
        get { base.maxCount }
        set { base.maxCount = newValue }
    }

    /// Whether the objects have an order.
    public var isOrdered: Bool {
        get { base.isOrdered }
        set { base.isOrdered = newValue }
    }

    /// What a deletion does to the objects at the other end.
    public var deleteRule: NSDeleteRule {
        get { NSDeleteRule(rawValue: UInt(base.deleteRule.rawValue)) ?? .nullifyDeleteRule }
        set { base.deleteRule = DeleteRule(rawValue: Int(newValue.rawValue)) ?? .nullify }
    }

    /// Whether there may be more than one object at the other end.
    public var isToMany: Bool { base.isToMany }

    var inverseName: String? { inverse?.name ?? base.inverseName }

    /// The relationship as a value.
    var relationship: RelationshipDescription {
        var result = base
        result.name = name
        result.isOptional = isOptional
        result.isTransient = isTransient
        result.inverseName = inverseName
        result.destinationEntityName = destination?.name ?? base.destinationEntityName
        result.versionHashModifier = versionHashModifier
        result.renamingIdentifier = renamingIdentifier
        result.userInfo = ModelValues.userInfo(userInfo)
        return result
    }
}
