import SQLite
import StoreFormat
import StoreModel

/// What this stack knows of an opened store's entities: layouts with a number for each property, fixed for the store's
/// lifetime.
final class Schema: Sendable {
    let storeUUID: String
    let externalData: ExternalData
    /// In the order of `StoreLayout.entities`.
    let entities: [SchemaEntity]
    let model: NSManagedObjectModel
    private let byName: [String: Int]
    private let byNumber: [Int64: Int]
    /// Entities whose rows SQLite's triggers write.
    let derived: [SchemaEntity]
    /// The root entities whose rows triggers may write after a change of a tree, by that tree's root; by index.
    private let dependents: [Int: Set<Int>]

    init(store: Store, model: NSManagedObjectModel) {
        storeUUID = store.uuid
        externalData = store.externalData
        self.model = model
        let layouts = store.layout.entities
        byName = Dictionary(layouts.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { a, _ in a })
        byNumber = Dictionary(layouts.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { a, _ in a })
        let names = byName
        entities = layouts.enumerated().map { index, layout in
            SchemaEntity(
                index: index, layout: layout, model: store.model, store: store,
                description: model.entitiesByName[layout.name] ?? NSEntityDescription(name: layout.name), names: names)
        }
        derived = entities.filter(\.isWrittenByTriggers)
        let written = Set(derived.map(\.rootIndex))
        let tables = Dictionary(
            entities.map { ($0.rootIndex, $0.layout.table) }, uniquingKeysWith: { first, _ in first })
        var dependents: [Int: Set<Int>] = [:]
        for (root, table) in tables where !written.isEmpty {
            let reached = written.filter { store.triggerWrites.isReached(tables[$0] ?? "", from: table) }
            if !reached.isEmpty { dependents[root] = reached }
        }
        self.dependents = dependents
    }

    subscript(name: String) -> SchemaEntity? { byName[name].map { entities[$0] } }
    subscript(number number: Int64) -> SchemaEntity? { byNumber[number].map { entities[$0] } }

    /// The root entities whose rows triggers may have written after changes of these trees.
    func dependents(of roots: Set<Int>) -> Set<Int> {
        dependents.isEmpty ? [] : roots.reduce(into: []) { $0.formUnion(dependents[$1] ?? []) }
    }

    /// The entity of that name.
    /// - Throws: `StoreError` `UnknownEntity`, with the nearest name.
    func entity(_ name: String) throws -> SchemaEntity {
        if let entity = self[name] { return entity }
        let nearest = NearestName.of(name, among: entities.map(\.name))
        throw StoreError(
            .unknownEntity, "the store has no entity \(name)",
            way: nearest.map { "did you mean \($0)?" } ?? "entities: \(entities.map(\.name).joined(separator: ", "))")
    }
}

/// One entity, with its properties in slots: attributes by name, transient attributes, relationships by name, fetched
/// properties by name.
final class SchemaEntity: Sendable {
    let index: Int
    let layout: EntityLayout
    let rootIndex: Int
    /// This entity and all that inherit from it, as indexes into `Schema.entities`.
    let treeIndexes: [Int]
    let properties: [SchemaProperty]
    let slots: [String: Int]
    let description: NSEntityDescription
    let store: Store
    let storeUUID: String
    let externalData: ExternalData
    let isWrittenByTriggers: Bool
    let recordShape: RecordShape
    /// `SELECT` of one row by its key and entity number: Z_OPT, then the layout's columns.
    let lookupSQL: String
    /// The slots of the relationships.
    let relationshipSlots: [Int]
    /// What a new object starts with.
    let defaults: [(slot: Int, value: DefaultValue)]
    /// Whether the entity's name alone does not tell a row's entity.
    var isAbstractOrShared: Bool { treeIndexes.count > 1 }

    var name: String { layout.name }

    init(
        index: Int, layout: EntityLayout, model: ModelDescription, store: Store, description: NSEntityDescription,
        names: [String: Int]
    ) {
        self.index = index
        self.layout = layout
        self.description = description
        self.store = store
        storeUUID = store.uuid
        externalData = store.externalData
        rootIndex = names[layout.rootName] ?? index
        treeIndexes = layout.treeNames.compactMap { names[$0] }
        var properties = layout.attributes.map { SchemaProperty.attribute(SchemaAttribute($0)) }
        let transients = model.attributes(of: layout.name).filter(\.isTransient)
        properties += transients.map { .transient($0) }
        properties += layout.relationships.map { relationship in
            let destination = names[relationship.description.destinationEntityName]
            let inverse = relationship.description.inverseName.flatMap { inverse in
                store.layout[relationship.description.destinationEntityName]?.relationship(inverse)
            }
            return .relationship(
                SchemaRelationship(
                    layout: relationship, destination: destination ?? -1, inverse: inverse,
                    destinationTable: store.layout[relationship.description.destinationEntityName]?.table ?? ""))
        }
        properties += model.fetchedProperties(of: layout.name).sorted { $0.name < $1.name }.map { .fetched($0) }
        self.properties = properties
        slots = Dictionary(properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { a, _ in a })
        relationshipSlots = properties.indices.filter { if case .relationship = properties[$0] { true } else { false } }
        defaults = properties.enumerated().compactMap { slot, property in
            switch property {
            case .attribute(let attribute):
                guard !attribute.isDerived,
                    let value = attribute.description.defaultValue.flatMap({ ModelValues.object($0) })
                else { return nil }
                return DefaultValue(ValueBox.slot(value, attribute)).map { (slot, $0) }
            case .transient(let description):
                return description.defaultValue.map { (slot, .transient($0)) }
            case .relationship, .fetched: return nil
            }
        }
        recordShape = RecordShape(layout, store.layout)
        isWrittenByTriggers = store.triggerWrites.isWritten(layout.table)
        let columns = layout.columns.map { ", " + $0.sqlIdentifier }.joined()
        lookupSQL =
            "SELECT Z_OPT\(columns) FROM \(layout.table.sqlIdentifier) WHERE Z_PK = ? AND Z_ENT = \(layout.number)"
    }

    /// Whether `other` is this entity or inherits from it.
    func isAncestor(of other: SchemaEntity) -> Bool { treeIndexes.contains(other.index) }

    /// What a mandatory attribute's typed property shows where the store has no value; nil where the model gives none.
    func defaultValue(_ slot: Int) -> AttributeValue? {
        guard case .attribute(let attribute) = properties[slot], !attribute.isOptional,
            let value = defaults.first(where: { $0.0 == slot })?.1
        else { return nil }
        switch value {
        case .stored(let value):
            return attribute.leaf.flatMap { ValueCoding.decode(value, as: $0, external: externalData) }
        case .attribute(let value): return value
        case .transient: return nil
        }
    }

    func unknownKey(_ key: String) -> StoreError {
        let nearest = NearestName.of(key, among: properties.map(\.name))
        return StoreError(
            .unknownKey, "\(name) has no property \(key)",
            way: nearest.map { "did you mean \($0)?" }
                ?? "properties: \(properties.map(\.name).joined(separator: ", "))")
    }
}

/// What a new object's slot starts with.
enum DefaultValue: Sendable {
    case stored(SQLValue)
    case attribute(AttributeValue?)
    case transient(ModelValue)

    init?(_ slot: PropertySlot) {
        switch slot {
        case .stored(let value): self = .stored(value)
        case .attribute(let value): self = .attribute(value)
        default: return nil
        }
    }

    var slot: PropertySlot {
        switch self {
        case .stored(let value): .stored(value)
        case .attribute(let value): .attribute(value)
        case .transient(let value): .transient(ModelValues.object(value))
        }
    }
}

/// A property in its slot.
enum SchemaProperty: Sendable {
    case attribute(SchemaAttribute)
    /// Kept in memory only.
    case transient(AttributeDescription)
    case relationship(SchemaRelationship)
    /// What a fetch finds, in no column and never set.
    case fetched(FetchedPropertyDescription)

    var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .transient(let description): description.name
        case .relationship(let relationship): relationship.name
        case .fetched(let description): description.name
        }
    }
}

/// An attribute, with what is asked of it for every object. A class, so that handing it on copies nothing.
final class SchemaAttribute: Sendable {
    let layout: AttributeLayout
    let name: String
    /// The only leaf of an attribute that is not composite.
    let leaf: LeafLayout?
    let isComposite: Bool
    let isDerived: Bool
    let isOptional: Bool
    /// The model's rules for the value. What nothing here can evaluate is told of by the model's warnings, and is none.
    let rules: [(rule: ValueRule, format: String, code: Int)]
    /// Whether validation has more to ask than that there is a value.
    let hasRules: Bool

    init(_ layout: AttributeLayout) {
        self.layout = layout
        name = layout.name
        leaf = layout.leaf
        isComposite = layout.isComposite
        let description = layout.description
        isDerived = description.isDerived
        isOptional = description.isOptional
        rules = description.validations.compactMap { validation in
            var code = NSManagedObjectValidationError
            if case .integer(let number)? = validation.warning { code = Int(number) }
            return ValueRule(validation.predicateFormat).map { ($0, validation.predicateFormat, code) }
        }
        hasRules =
            description.minimum != nil || description.maximum != nil || description.regularExpression != nil
            || !rules.isEmpty
    }

    var description: AttributeDescription { layout.description }
    var leaves: [LeafLayout] { layout.leaves }
}

/// A relationship with both its ends resolved.
final class SchemaRelationship: Sendable {
    let layout: RelationshipLayout
    let name: String
    let isToMany: Bool
    let isOrdered: Bool
    /// The declared destination, as an index into `Schema.entities`; -1 where the store has no such entity.
    let destination: Int
    /// The same relationship from the other end.
    let inverse: RelationshipLayout?
    let inverseName: String?
    let deleteRule: DeleteRule
    /// The query of one object's members.
    let memberSQL: String

    init(layout: RelationshipLayout, destination: Int, inverse: RelationshipLayout?, destinationTable: String) {
        self.layout = layout
        self.destination = destination
        self.inverse = inverse
        name = layout.name
        isToMany = layout.isToMany
        isOrdered = layout.isOrdered
        inverseName = inverse?.name
        deleteRule = layout.description.deleteRule
        memberSQL = ToManySQL(layout, destinationTable: destinationTable).member
    }
}
