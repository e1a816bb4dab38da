import StoreModel

/// An entity of a managed object model.
///
/// `@unchecked Sendable` as its properties are: it can be changed only until a store is opened with its model.
open class NSEntityDescription: NSObject, @unchecked Sendable {
    private var base: EntityDescription { willSet { checkMutable() } }
    private var own: [NSPropertyDescription] = [] { willSet { checkMutable() } }
    private var children: [NSEntityDescription] = [] { willSet { checkMutable() } }
    weak var parent: NSEntityDescription?
    weak var model: NSManagedObjectModel?
    private var isFrozen = false

    override public init() {
        base = EntityDescription(name: "")
    }

    init(name: String) {
        base = EntityDescription(name: name)
    }

    convenience init(_ entity: EntityDescription) {
        self.init(name: entity.name)
        base = entity
        own =
            entity.attributes.map { NSAttributeDescription.make($0) }
            + entity.relationships.map { NSRelationshipDescription($0) }
            + entity.fetchedProperties.map { NSFetchedPropertyDescription($0) }
        for property in own { property.storedEntity = self }
    }

    private func checkMutable() {
        precondition(!isFrozen, "the model of an opened store cannot be changed")
    }

    func freeze() {
        isFrozen = true
        for property in own { property.isFrozen = true }
    }

    /// The entity's name; nil for one without.
    public var name: String? {
        get { base.name.isEmpty ? nil : base.name }
        set { base.name = newValue ?? "" }
    }

    /// The name of the class of the objects.
    public var managedObjectClassName: String! {
        get { base.className ?? "NSManagedObject" }
        set { base.className = newValue }
    }

    /// Whether objects are only ever of a subentity.
    public var isAbstract: Bool {
        get { base.isAbstract }
        set { base.isAbstract = newValue }
    }

    /// The entity that this one inherits from.
    public var superentity: NSEntityDescription? { parent }

    /// The entities that inherit from this one directly.
    public var subentities: [NSEntityDescription] {
        get { children }
        set {
            children = newValue
            for child in newValue { child.parent = self }
        }
    }

    /// The same, by name.
    public var subentitiesByName: [String: NSEntityDescription] { Self.byName(children) { $0.name ?? "" } }

    /// All properties, inherited ones first. Setting sets the entity's own.
    public var properties: [NSPropertyDescription] {
        get {
            let inherited = parent?.properties ?? []
            return inherited.filter { property in !own.contains { $0.name == property.name } } + own
        }
        set {
            own = newValue
            for property in newValue { property.storedEntity = self }
        }
    }

    /// All properties by name.
    public var propertiesByName: [String: NSPropertyDescription] { Self.byName(properties) { $0.name } }
    /// The attributes by name, inherited ones included.
    public var attributesByName: [String: NSAttributeDescription] {
        Self.byName(properties.compactMap { $0 as? NSAttributeDescription }) { $0.name }
    }
    /// The relationships by name, inherited ones included.
    public var relationshipsByName: [String: NSRelationshipDescription] {
        Self.byName(properties.compactMap { $0 as? NSRelationshipDescription }) { $0.name }
    }

    /// The relationships that lead to an entity.
    public func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
        relationshipsByName.values.filter { $0.destinationEntity === entity }.sorted { $0.name < $1.name }
    }

    /// Attribute names that are unique together: each constraint an array of names.
    public var uniquenessConstraints: [[Any]] {
        get { base.uniquenessConstraints }
        set {
            base.uniquenessConstraints = newValue.map {
                $0.compactMap { ($0 as? String) ?? ($0 as? NSPropertyDescription)?.name }
            }
        }
    }

    /// What the model's author noted for the entity.
    public var userInfo: [AnyHashable: Any]? {
        get { base.userInfo.mapValues { ModelValues.object($0) ?? NSNull() } }
        set { base.userInfo = ModelValues.userInfo(newValue) }
    }

    /// Part of the version hash, for changes that the model itself does not show.
    public var versionHashModifier: String? {
        get { base.versionHashModifier }
        set { base.versionHashModifier = newValue }
    }

    /// The name that lightweight migration matches the entity by.
    public var renamingIdentifier: String? {
        get { base.renamingIdentifier }
        set { base.renamingIdentifier = newValue }
    }

    /// The model that the entity belongs to.
    public var managedObjectModel: NSManagedObjectModel? { model }

    /// Whether this entity is `entity` or inherits from it.
    public func isKindOf(entity: NSEntityDescription) -> Bool {
        var next: NSEntityDescription? = self
        while let current = next {
            if current === entity || current.name == entity.name { return true }
            next = current.parent
        }
        return false
    }

    /// A new object of the entity, inserted into the context.
    public class func insertNewObject(
        forEntityName name: String, into context: NSManagedObjectContext
    ) -> NSManagedObject {
        guard let entity = context.instance.schema[name] else {
            preconditionFailure("the store has no entity \(name)")
        }
        return context.makeInserted(entity)
    }

    /// The entity of that name in the context's model.
    public class func entity(forEntityName name: String, in context: NSManagedObjectContext) -> NSEntityDescription? {
        context.instance.schema[name]?.description
    }

    override open var description: String { "NSEntityDescription \(base.name)" }

    /// The entity as a value, with its own properties.
    var entity: EntityDescription {
        var result = base
        result.superentityName = parent?.name
        result.attributes = own.compactMap { ($0 as? NSAttributeDescription)?.attribute }
        result.relationships = own.compactMap { ($0 as? NSRelationshipDescription)?.relationship }
        result.fetchedProperties = own.compactMap { ($0 as? NSFetchedPropertyDescription)?.property }
        return result
    }

    private static func byName<T>(_ items: [T], _ name: (T) -> String) -> [String: T] {
        Dictionary(items.map { (name($0), $0) }, uniquingKeysWith: { _, last in last })
    }
}
