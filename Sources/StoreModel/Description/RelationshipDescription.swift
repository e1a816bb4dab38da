/// What happens to the objects at the other end when an object is deleted (`NSDeleteRule`).
public enum DeleteRule: Int, Sendable, Hashable {
    case noAction = 0
    case nullify = 1
    case cascade = 2
    case deny = 3
}

/// A relationship of an entity.
public struct RelationshipDescription: Sendable, Hashable {
    public var name: String
    public var destinationEntityName: String
    public var inverseName: String?
    public var isOptional = false
    public var isTransient = false
    public var isOrdered = false
    /// 0 where unset. Counts even where the relationship is optional, since the version hash takes it.
    public var minCount = 0
    /// 1 is to-one, 0 is unbounded.
    public var maxCount: Int
    public var deleteRule: DeleteRule = .nullify
    public var isIndexedBySpotlight = false
    public var isStoredInTruthFile = false
    public var isSyncable = true
    public var versionHashModifier: String?
    public var renamingIdentifier: String?
    public var userInfo: [String: ModelValue] = [:]

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

    public var isToMany: Bool { maxCount != 1 }
}
