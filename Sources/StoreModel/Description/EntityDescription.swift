/// An entity of a model, with the properties that it declares itself.
public struct EntityDescription: Sendable, Hashable {
    /// The entity's name: what names its table, and what both stacks agree on.
    public var name: String
    /// The managed object class (`representedClassName`), or nil for the generic one.
    public var className: String?
    /// The parent entity's name, or nil for a root.
    public var superentityName: String?
    /// Whether objects are only ever of a subentity.
    public var isAbstract = false
    /// The attributes that the entity declares itself, without inherited ones.
    public var attributes: [AttributeDescription] = []
    /// The relationships that the entity declares itself, without inherited ones.
    public var relationships: [RelationshipDescription] = []
    /// The fetched properties that the entity declares itself.
    public var fetchedProperties: [FetchedPropertyDescription] = []
    /// Each constraint is the names of the attributes that are unique together, in declared order.
    public var uniquenessConstraints: [[String]] = []
    /// The indexes that the entity declares for its table.
    public var fetchIndexes: [FetchIndexDescription] = []
    /// Indexes of the form before fetch indexes: property names of each.
    public var compoundIndexes: [[String]] = []
    /// Text that goes into the version hash, so that a change of meaning alone changes the hash.
    public var versionHashModifier: String?
    /// The name that lightweight migration matches this entity by, when it is not `name`.
    public var renamingIdentifier: String?
    /// What the model's author noted beside the entity, by key.
    public var userInfo: [String: ModelValue] = [:]
    /// `syncable`, which only the model editor reads; nil where the model says nothing of it.
    public var isSyncable: Bool?
    /// `codeGenerationType` of the model editor: `class`, `category` or nil.
    public var codeGenerationType: String?

    /// Makes an entity without properties.
    public init(name: String, superentityName: String? = nil) {
        self.name = name
        self.superentityName = superentityName
    }

    /// Core Data's order of entities: by name, case folded, then by bytes.
    public static func inNumberingOrder(_ a: EntityDescription, _ b: EntityDescription) -> Bool {
        let (x, y) = (a.name.lowercased(), b.name.lowercased())
        return x == y ? a.name.utf8.lexicographicallyPrecedes(b.name.utf8) : x.utf8.lexicographicallyPrecedes(y.utf8)
    }
}
