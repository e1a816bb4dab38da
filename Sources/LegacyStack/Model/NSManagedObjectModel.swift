import StoreFormat
import StoreModel
import Synchronization

/// The entities of a store, and the classes that their objects get.
///
/// `@unchecked Sendable`: the entities can be set only until a store is opened with the model, by the thread that builds
/// it; the classes are under a lock.
open class NSManagedObjectModel: NSObject, @unchecked Sendable {
    private var list: [NSEntityDescription] = []
    var base = ModelDescription()
    private var isFrozen = false
    private let opened = Mutex<OpenedSchema>(OpenedSchema())

    private struct OpenedSchema {
        weak var schema: Schema?
    }
    private let classes = Mutex<[String: NSManagedObject.Type]>([:])

    override public init() {}

    /// The model that a description says.
    public convenience init(_ model: ModelDescription) {
        self.init()
        base = model
        let made = Dictionary(
            model.entities.map { ($0.name, NSEntityDescription($0)) }, uniquingKeysWith: { first, _ in first })
        for entity in model.entities {
            made[entity.name]?.subentities = model.subentities(of: entity.name).compactMap { made[$0.name] }
        }
        for entity in made.values {
            for case let relationship as NSRelationshipDescription in entity.properties
            where relationship.entity === entity {
                let value = relationship.relationship
                relationship.destinationEntity = made[value.destinationEntityName]
                relationship.inverseRelationship = value.inverseName.flatMap {
                    made[value.destinationEntityName]?.relationshipsByName[$0]
                }
            }
        }
        entities = model.numberedEntities.compactMap { made[$0.name] }
    }

    /// The model of a file: `.xcdatamodeld`, `.xcdatamodel`, `.momd`, `.mom`, or a store that holds one. Nil where it cannot
    /// be read; ``init(reading:)`` says why.
    public convenience init?(contentsOf url: URL) {
        try? self.init(reading: url)
    }

    /// The same, and why it cannot be read.
    /// - Throws: `ModelError` for a model, `StoreError` for a store.
    public convenience init(reading url: URL) throws {
        // By the extension, as models have no other mark; what has another one is a store or nothing.
        guard ModelKind(rawValue: url.pathExtension.lowercased()) != nil else {
            self.init(try Store.open(url.path).model)
            return
        }
        self.init(try ModelReader.read(at: url.path).model)
    }

    /// The entities.
    public var entities: [NSEntityDescription] {
        get { list }
        set {
            checkMutable()
            list = newValue
            for entity in newValue { entity.model = self }
        }
    }

    /// The entities by name.
    public var entitiesByName: [String: NSEntityDescription] {
        Dictionary(
            list.compactMap { entity in entity.name.map { ($0, entity) } }, uniquingKeysWith: { first, _ in first })
    }

    /// Labels of the version.
    public var versionIdentifiers: Set<AnyHashable> {
        get { Set(base.versionIdentifiers.map { AnyHashable($0) }) }
        set { base.versionIdentifiers = newValue.compactMap { $0.base as? String }.sorted() }
    }

    /// The version hash of each entity.
    /// - Throws: what makes a hash of the model impossible.
    public func versionHashes() throws -> [String: Data] { try modelDescription.versionHashes() }

    /// The model as a value.
    public var modelDescription: ModelDescription {
        var result = base
        result.entities = list.map(\.entity)
        return result
    }

    func checkMutable() {
        precondition(!isFrozen, "the model of an opened store cannot be changed")
    }

    /// What is known of the store that was opened with the model last; nil where none is open.
    var openedSchema: Schema? { opened.withLock(\.schema) }

    func noteOpened(_ schema: Schema) { opened.withLock { $0.schema = schema } }

    func freeze() {
        guard !isFrozen else { return }
        isFrozen = true
        for entity in list { entity.freeze() }
    }

    // MARK: Classes

    /// Gives objects of an entity a class. Without one they are plain `NSManagedObject`s.
    public func register(_ type: NSManagedObject.Type, forEntityName name: String) {
        classes.withLock { $0[name] = type }
    }

    /// Notes the class where the entity has none yet: what a typed fetch or property says.
    func registerIfMissing(_ type: NSManagedObject.Type, forEntityName name: String) {
        guard type != NSManagedObject.self else { return }
        classes.withLock { if $0[name] == nil { $0[name] = type } }
    }

    /// The classes that entities have, by the entities' names.
    var registeredClasses: [String: NSManagedObject.Type] { classes.withLock { $0 } }

    func managedObjectClass(forEntityName name: String) -> NSManagedObject.Type {
        classes.withLock { $0[name] } ?? NSManagedObject.self
    }

    /// The entity whose objects have this class: the one that it was registered for, else the one that names it.
    func entityName(of type: NSManagedObject.Type) -> String? {
        if let name = classes.withLock({ $0.first { $0.value == type }?.key }) { return name }
        let className = String(describing: type)
        // A class is named with its module, or with a dot for the program's own.
        let found =
            list.first { $0.name == className }
            ?? list.first { $0.entity.className?.split(separator: ".").last.map(String.init) == className }
        guard let name = found?.name else { return nil }
        registerIfMissing(type, forEntityName: name)
        return name
    }
}
