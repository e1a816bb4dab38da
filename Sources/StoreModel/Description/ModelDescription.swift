/// A managed object model as a value: what an `.xcdatamodel`, a `.mom`, a store's model cache or a Swift schema says.
///
/// Properties are kept where they are declared: an entity lists its own, never those that it inherits. The lookups below
/// (`inheritanceChain(of:)`, `attributes(of:)`, …) put the inherited ones in.
public struct ModelDescription: Sendable, Hashable {
    /// The entities, in no particular order; names are unique.
    public var entities: [EntityDescription] {
        didSet { index = EntityIndex(entities) }
    }
    /// `NSVersionIdentifiers`: free-form labels, which no hash depends on.
    public var versionIdentifiers: [String]
    /// Named subsets of the entities.
    public var configurations: [String: [String]]
    /// Fetch requests that are stored with the model.
    public var fetchRequestTemplates: [FetchRequestTemplate]
    /// The composites that a model's source declares by name, also those that no attribute uses. Compiled models have none:
    /// there each attribute holds its elements.
    public var composites: [CompositeDescription] = []
    /// What editor and compiler note of the document itself, by their own names: `sourceLanguage`, `usedWithCloudKit`,
    /// `CDMCompilerToolVersion` and such. No hash depends on it.
    public var documentAttributes: [String: String] = [:]
    /// Whether the model is one that SwiftData makes of classes: its cache lists every entity's uniqueness constraints, also
    /// where there are none (Format, section 10). No hash depends on it.
    public var isSwiftSchema = false
    /// What stands in the model and has no meaning here; kept so that nobody takes it for understood.
    public var unreadParts: [UnreadPart] = []

    private var index: EntityIndex

    /// Makes a model; of entities with the same name, lookups find the first.
    public init(
        entities: [EntityDescription] = [], versionIdentifiers: [String] = [],
        configurations: [String: [String]] = [:], fetchRequestTemplates: [FetchRequestTemplate] = []
    ) {
        self.entities = entities
        self.versionIdentifiers = versionIdentifiers
        self.configurations = configurations
        self.fetchRequestTemplates = fetchRequestTemplates
        self.index = EntityIndex(entities)
    }

    /// The entity of that name, or nil.
    public subscript(name: String) -> EntityDescription? {
        index.places[name].map { entities[$0] }
    }

    /// The direct subentities, sorted as Core Data numbers them (without regard to case).
    public func subentities(of name: String) -> [EntityDescription] {
        index.children[name]?.map { entities[$0] }.sorted(by: EntityDescription.inNumberingOrder) ?? []
    }

    /// The entities with a to-many relationship without inverse that leads to one of these destinations, in the model's
    /// order: their keys are in the destination's table.
    package func owners(of destinations: some Sequence<String>) -> [EntityDescription] {
        Set(destinations.flatMap { index.owners[$0] ?? [] }).sorted().map { entities[$0] }
    }
}

/// Where entities are in a model's list: a model can have thousands, and each is asked for by each.
private struct EntityIndex: Sendable, Hashable {
    /// By name; of entities with the same name, the first.
    private(set) var places: [String: Int] = [:]
    /// By the parent's name.
    private(set) var children: [String: [Int]] = [:]
    /// By the name of the destination of a to-many relationship without inverse.
    private(set) var owners: [String: Set<Int>] = [:]

    init(_ entities: [EntityDescription]) {
        for (place, entity) in entities.enumerated() {
            places[entity.name] = places[entity.name] ?? place
            if let parent = entity.superentityName { children[parent, default: []].append(place) }
            for relationship in entity.relationships where relationship.isToMany && relationship.inverseName == nil {
                owners[relationship.destinationEntityName, default: []].insert(place)
            }
        }
    }
}

extension ModelDescription {
    /// The entity and its ancestors, root first. Stops at an unknown or repeated parent.
    public func inheritanceChain(of name: String) -> [EntityDescription] {
        var chain: [EntityDescription] = []
        var seen: Set<String> = []
        var next: String? = name
        while let current = next, seen.insert(current).inserted, let entity = self[current] {
            chain.append(entity)
            next = entity.superentityName
        }
        return chain.reversed()
    }

    /// The root of the entity's inheritance tree: the entity that names the table.
    public func rootName(of name: String) -> String {
        inheritanceChain(of: name).first?.name ?? name
    }

    /// The entity and everything that inherits from it, depth first.
    public func tree(of name: String) -> [EntityDescription] {
        guard let entity = self[name] else { return [] }
        return [entity] + subentities(of: name).flatMap { tree(of: $0.name) }
    }

    /// The entities in the order in which Core Data numbers them from 1: depth first over the inheritance forest, roots
    /// and siblings without regard to case (Format, section 2).
    public var numberedEntities: [EntityDescription] {
        entities.filter { $0.superentityName == nil }.sorted(by: EntityDescription.inNumberingOrder)
            .flatMap { tree(of: $0.name) }
    }

    /// Own and inherited attributes, root's first; a redeclared name takes the place of the inherited one.
    public func attributes(of name: String) -> [AttributeDescription] {
        merged(name, { $0.attributes }, { $0.name })
    }

    /// Own and inherited relationships, root's first.
    public func relationships(of name: String) -> [RelationshipDescription] {
        merged(name, { $0.relationships }, { $0.name })
    }

    /// Own and inherited fetched properties, root's first.
    public func fetchedProperties(of name: String) -> [FetchedPropertyDescription] {
        merged(name, { $0.fetchedProperties }, { $0.name })
    }

    private func merged<P>(_ name: String, _ own: (EntityDescription) -> [P], _ key: (P) -> String) -> [P] {
        var result: [P] = []
        var place: [String: Int] = [:]
        for entity in inheritanceChain(of: name) {
            for property in own(entity) {
                let name = key(property)
                if let i = place[name] {
                    result[i] = property
                } else {
                    place[name] = result.count
                    result.append(property)
                }
            }
        }
        return result
    }
}
