/// A managed object model as a value: what an `.xcdatamodel`, a `.mom`, a store's model cache or a Swift schema says.
///
/// Properties are kept where they are declared: an entity lists its own, never those that it inherits. The lookups below
/// (`inheritanceChain(of:)`, `attributes(of:)`, …) put the inherited ones in.
public struct ModelDescription: Sendable, Hashable {
    /// The entities, in no particular order; names are unique.
    public var entities: [EntityDescription] {
        didSet { index = Self.index(entities) }
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

    private var index: [String: Int]

    /// Makes a model; of entities with the same name, lookups find the first.
    public init(
        entities: [EntityDescription] = [], versionIdentifiers: [String] = [],
        configurations: [String: [String]] = [:], fetchRequestTemplates: [FetchRequestTemplate] = []
    ) {
        self.entities = entities
        self.versionIdentifiers = versionIdentifiers
        self.configurations = configurations
        self.fetchRequestTemplates = fetchRequestTemplates
        self.index = Self.index(entities)
    }

    private static func index(_ entities: [EntityDescription]) -> [String: Int] {
        Dictionary(entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The entity of that name, or nil.
    public subscript(name: String) -> EntityDescription? {
        index[name].map { entities[$0] }
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

    /// The direct subentities, sorted as Core Data numbers them (without regard to case).
    public func subentities(of name: String) -> [EntityDescription] {
        entities.filter { $0.superentityName == name }.sorted(by: EntityDescription.inNumberingOrder)
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
        merged(name, \.attributes, \.name)
    }

    /// Own and inherited relationships, root's first.
    public func relationships(of name: String) -> [RelationshipDescription] {
        merged(name, \.relationships, \.name)
    }

    /// Own and inherited fetched properties, root's first.
    public func fetchedProperties(of name: String) -> [FetchedPropertyDescription] {
        merged(name, \.fetchedProperties, \.name)
    }

    private func merged<P>(_ name: String, _ own: KeyPath<EntityDescription, [P]>, _ key: KeyPath<P, String>) -> [P] {
        var result: [P] = []
        var place: [String: Int] = [:]
        for entity in inheritanceChain(of: name) {
            for property in entity[keyPath: own] {
                if let i = place[property[keyPath: key]] {
                    result[i] = property
                } else {
                    place[property[keyPath: key]] = result.count
                    result.append(property)
                }
            }
        }
        return result
    }
}
