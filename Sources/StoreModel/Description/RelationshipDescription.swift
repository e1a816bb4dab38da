/// What happens to the objects at the other end when an object is deleted (`NSDeleteRule`).
public enum DeleteRule: Int, Sendable, Hashable {
    case noAction = 0
    case nullify = 1
    case cascade = 2
    case deny = 3
}

/// A relationship of an entity.
public struct RelationshipDescription: Sendable, Hashable {
    /// The relationship's name, which is also its key in an object.
    public var name: String
    /// The entity at the other end.
    public var destinationEntityName: String
    /// The relationship that leads back; nil where there is none.
    public var inverseName: String?
    /// `inverseEntity` of a model's source where it is another entity than the destination; the version hash does not
    /// depend on it.
    public var inverseEntityName: String?
    /// Whether an object may be saved without anything at the other end.
    public var isOptional = false
    /// Whether the relationship lives in memory only; it then has no part in the version hash.
    public var isTransient = false
    /// Whether a to-many keeps its objects in an order of their own.
    public var isOrdered = false
    /// 0 where unset. Counts even where the relationship is optional, since the version hash takes it.
    public var minCount = 0
    /// 1 is to-one, 0 is unbounded.
    public var maxCount: Int
    /// What a deletion does to the objects at the other end.
    public var deleteRule: DeleteRule = .nullify
    /// Whether Spotlight is to index the relationship; the version hash does not depend on it.
    public var isIndexedBySpotlight = false
    /// `storedInTruthFile` of the model; the version hash does not depend on it.
    public var isStoredInTruthFile = false
    /// `syncable` of a model's source, nil where it says nothing of it; the version hash does not depend on it.
    public var isSyncable: Bool?
    /// Text that goes into the version hash, so that a change of meaning alone changes the hash.
    public var versionHashModifier: String?
    /// The name that lightweight migration matches this relationship by, when it is not `name`.
    public var renamingIdentifier: String?
    /// What the model's author noted beside the relationship, by key.
    public var userInfo: [String: ModelValue] = [:]

    /// Makes a relationship: to-one and optional where nothing else is said.
    public init(
        name: String, destination: String, inverse: String? = nil, maxCount: Int = 1, isOptional: Bool = true,
        isOrdered: Bool = false, deleteRule: DeleteRule = .nullify
    ) {
        self.name = name
        self.destinationEntityName = destination
        self.inverseName = inverse
        self.maxCount = maxCount
        self.isOptional = isOptional
        self.isOrdered = isOrdered
        self.deleteRule = deleteRule
    }

    /// Whether the relationship may lead to more than one object.
    public var isToMany: Bool { maxCount != 1 }
}
