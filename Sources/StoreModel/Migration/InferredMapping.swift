/// How a store of one model becomes a store of another, as far as the two models alone tell: what Core Data calls an
/// inferred mapping model.
public struct InferredMapping: Sendable, Hashable {
    /// The model of the store as it is.
    public let source: ModelDescription
    /// The model that it is to have.
    public let destination: ModelDescription
    /// One mapping for each entity of the destination, in the order of their numbers.
    public internal(set) var entities: [EntityMapping] = []
    /// The entities of the source that the destination lacks, in the order of their numbers.
    public internal(set) var removedEntities: [String] = []
    /// The properties that entities which stay lose, and the values with them.
    public internal(set) var removedProperties: [RemovedProperty] = []
    /// What a person is told that will be done, in the order of the entities.
    public internal(set) var steps: [MappingStep] = []
    /// Why nothing can be inferred; empty where a migration can go on.
    public internal(set) var refusals: [MappingRefusal] = []

    /// The destination's name of each of the source's entities that stay.
    public var destinationBySource: [String: String] {
        Dictionary(
            entities.compactMap { mapping in mapping.source.map { ($0, mapping.destination) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Whether what a property held goes with it. What a relationship connects stays where its other way does.
    public func losesValues(_ removed: RemovedProperty) -> Bool {
        guard removed.isRelationship,
            let relationship = source.relationships(of: removed.entity).first(where: { $0.name == removed.name }),
            let inverse = relationship.inverseName
        else { return true }
        let tree = Set(source.tree(of: relationship.destinationEntityName).map(\.name))
        return !entities.contains { mapping in
            mapping.source.map { tree.contains($0) } == true && mapping.relationships.values.contains { $0 == inverse }
        }
    }

    /// The mapping of a destination entity.
    public func entity(_ name: String) -> EntityMapping? { entities.first { $0.destination == name } }
}

/// What becomes of an entity's objects.
public struct EntityMapping: Sendable, Hashable {
    /// The entity that the objects are of; nil where the entity is new, and has none.
    public var source: String?
    /// The entity that they will be of.
    public var destination: String
    /// The persistent attributes of the destination, inherited ones included. Empty for a new entity.
    public var attributes: [AttributeMapping] = []
    /// The persistent relationships of the destination, inherited ones included, with what they were in the source; nil
    /// for new ones. Empty for a new entity.
    public var relationships: [String: String?] = [:]

    /// The mapping of an attribute.
    public func attribute(_ name: String) -> AttributeMapping? { attributes.first { $0.name == name } }
}

/// Where an attribute's values come from.
public struct AttributeMapping: Sendable, Hashable {
    /// The attribute in the destination.
    public var name: String
    /// The attribute in the source; nil for a new one.
    public var source: String?
    /// One for each leaf of the destination's attribute, in declared order.
    public var leaves: [Leaf]

    /// Where the values of one column come from.
    public struct Leaf: Sendable, Hashable {
        /// The place among the leaves of the source's attribute; nil where there is none.
        public var source: Int?
        /// What stands in for a missing value; nil leaves it missing.
        public var fill: ModelValue?
        /// Whether large values begin or cease to lie in files beside the store.
        public var storage: StorageChange = .same
    }

    /// A change of the attribute's external storage.
    public enum StorageChange: Sendable, Hashable {
        case same
        case toExternal
        case fromExternal
    }
}

/// A property that an entity which stays loses.
public struct RemovedProperty: Sendable, Hashable {
    /// The source's entity whose objects lose it.
    public var entity: String
    /// The property; a composite's element as `attribute.element`.
    public var property: String
    /// The attribute or relationship in the source.
    public var name: String
    /// The places of the leaves that are lost; empty for a relationship.
    public var leaves: [Int]
    /// Whether it is a relationship.
    public var isRelationship: Bool
}

/// One thing that a migration does, for a person.
public struct MappingStep: Sendable, Hashable, CustomStringConvertible {
    /// What is done.
    public enum Kind: String, Sendable, Hashable {
        case add
        case remove
        case rename
        case move
        case change
    }

    /// What is done.
    public var kind: Kind
    /// The entity: by the destination's name, or by the source's where it is removed.
    public var entity: String
    /// The property; nil where it is about the entity.
    public var property: String?
    /// The rest, in a few words.
    public var detail: String

    /// The step in one line.
    public var description: String {
        "\(kind.rawValue) \(property.map { "\(entity).\($0)" } ?? entity)" + (detail.isEmpty ? "" : ": \(detail)")
    }
}

/// Why a migration cannot be inferred, or may not be done.
public struct MappingRefusal: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of refusal.
    public enum Code: String, Sendable, Hashable {
        case renameAmbiguous = "RenameAmbiguous"
        case typeChanged = "TypeChanged"
        case kindChanged = "KindChanged"
        case noDefault = "NoDefault"
        case badDefault = "BadDefault"
        case toManyToToOne = "ToManyToToOne"
        case destinationChanged = "DestinationChanged"
        case inverseChanged = "InverseChanged"
        case hierarchiesMerged = "HierarchiesMerged"
        case entityAbstract = "EntityAbstract"
        case valueMissing = "ValueMissing"
        case notUnique = "NotUnique"
        case dataLoss = "DataLoss"
        case unitsMerged = "UnitsMerged"
        case frozen = "Frozen"
        case foreignContent = "ForeignContent"
    }

    /// The kind.
    public var code: Code
    /// The entity: by the destination's name, or by the source's where it is removed.
    public var entity: String
    /// The property; nil where it is about the entity.
    public var property: String?
    /// Why, in words.
    public var reason: String
    /// The way out, in words.
    public var way: String

    /// Makes a refusal.
    public init(_ code: Code, _ entity: String, _ property: String?, _ reason: String, way: String) {
        self.code = code
        self.entity = entity
        self.property = property
        self.reason = reason
        self.way = way
    }

    /// `Entity.property`, or the entity.
    public var place: String { property.map { "\(entity).\($0)" } ?? entity }

    /// Place, reason and way in one line.
    public var description: String { "\(place): \(reason) (\(way))" }
}
