import SQLite
import StoreFormat
import StoreModel
import Synchronization

/// How this stack lays an entity's objects out in memory: a slot for each value, in an order of its own.
///
/// The order is that of the class' properties where there is a class, the layout's otherwise. Behind the visible slots
/// come the hidden ones: columns that belong to a relationship but are no property's value.
final class EntityPlan: Sendable {
    let layout: EntityLayout
    /// The index in `StorePlan.entities`.
    let index: Int
    /// The index of the inheritance tree, which has one key space.
    let root: Int
    let properties: [PropertyPlan]
    /// The column of each slot, as an index into `layout.columns`; -1 where the table has none.
    let columns: [Int]
    /// The leaf of each slot that holds an attribute's value.
    let leaves: [LeafLayout?]
    /// The hidden slot of each to-many without inverse whose key lies in this entity's row, by `Entity.relationship`.
    let ownerSlots: [String: OwnerSlot]
    let toManyCount: Int
    let hasExternalData: Bool
    /// The to-ones, for what a save looks at in every object.
    let toOnes: [PropertyPlan]
    /// Whether the order of some relationship stands in, or depends on, this entity's rows.
    let hasOrder: Bool
    /// The slots whose values a save looks at one by one: keys, external data, columns that are missing.
    let specialSlots: [Int]
    let checks: [SlotCheck]
    /// The property of each visible slot.
    let propertyOfSlot: [PropertyPlan?]
    private let propertyIndex: [String: Int]

    struct OwnerSlot: Sendable {
        let key: Int
        let order: Int?
    }

    var name: String { layout.name }
    var slotCount: Int { columns.count }

    /// - Parameter order: the names of the properties in the class' order.
    init(_ layout: EntityLayout, index: Int, root: Int, order: [String]) {
        self.layout = layout
        self.index = index
        self.root = root
        var builder = SlotBuilder(layout)
        let known = Set(order)
        for name in order { builder.add(name) }
        for attribute in layout.attributes where !known.contains(attribute.name) { builder.add(attribute.name) }
        for relationship in layout.relationships where !known.contains(relationship.name) {
            builder.add(relationship.name)
        }
        builder.addHidden()
        properties = builder.properties
        columns = builder.columns
        leaves = builder.leaves
        ownerSlots = builder.ownerSlots
        toManyCount = builder.toManyCount
        hasExternalData = builder.leaves.contains { $0?.isExternal == true }
        toOnes = builder.properties.filter { property in
            if case .toOne = property.kind { return true }
            return false
        }
        hasOrder =
            builder.ownerSlots.values.contains { $0.order != nil }
            || builder.properties.contains { property in
                switch property.kind {
                case .attribute: false
                case .toOne(_, let slots): slots.order != nil
                case .toMany(let relationship, _): relationship.isOrdered
                }
            }
        specialSlots = builder.leaves.indices.filter {
            builder.leaves[$0]?.isExternal ?? true || builder.columns[$0] < 0
        }
        checks = builder.properties.compactMap { SlotCheck($0) }
        var owners = [PropertyPlan?](repeating: nil, count: builder.columns.count)
        for property in builder.properties {
            switch property.kind {
            case .attribute(let attribute):
                for i in attribute.leaves.indices { owners[property.slot + i] = property }
            case .toOne: owners[property.slot] = property
            case .toMany: break
            }
        }
        propertyOfSlot = owners
        propertyIndex = Dictionary(
            builder.properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func indexOfProperty(_ name: String) -> Int? { propertyIndex[name] }

    /// The property of that name.
    /// - Throws: `StoreError` `UnknownKey`, with the nearest name.
    func property(_ name: String) throws -> PropertyPlan {
        if let i = propertyIndex[name] { return properties[i] }
        throw Self.unknownKey(name, of: layout)
    }

    static func unknownKey(_ name: String, of layout: EntityLayout) -> StoreError {
        let names = layout.attributes.map(\.name) + layout.relationships.map(\.name)
        let nearest = NearestName.of(name, among: names)
        return StoreError(
            .unknownKey, "\(layout.name) has no property \(name)",
            way: nearest.map { "did you mean \($0)?" } ?? "`coexistctl inspect` lists the properties")
    }
}

/// What a save checks of a property in every object, without looking at its description.
struct SlotCheck: Sendable {
    let property: Int
    let slot: Int
    let isMandatory: Bool
    /// The values that fit; nil where any do.
    let range: ClosedRange<Int64>?
    /// Whether only the whole check tells.
    let isThorough: Bool

    init?(_ plan: PropertyPlan) {
        property = plan.index
        slot = plan.slot
        switch plan.kind {
        case .attribute(let attribute):
            isMandatory = !attribute.description.isOptional && !attribute.description.isDerived
            isThorough = attribute.isComposite || attribute.leaf?.column == nil
            range =
                switch attribute.leaf?.type {
                case .integer16: Int64(Int16.min)...Int64(Int16.max)
                case .integer32: Int64(Int32.min)...Int64(Int32.max)
                default: nil
                }
        case .toOne(let relationship, _):
            isMandatory = !relationship.description.isOptional
            range = nil
            if case .absent = relationship.storage { isThorough = true } else { isThorough = false }
        case .toMany(let relationship, _):
            isMandatory = false
            range = nil
            isThorough = true
            let description = relationship.description
            if case .absent = relationship.storage { return }
            guard description.maxCount > 1 || description.minCount > 0 && !description.isOptional else { return nil }
        }
    }

    /// Whether a value surely passes.
    func passes(_ value: SQLValue) -> Bool {
        guard !isThorough else { return false }
        switch value {
        case .null: return !isMandatory
        case .integer(let number): return range?.contains(number) ?? true
        case .real(let number): return !number.isNaN
        case .text, .blob: return true
        }
    }
}

/// A property of an entity and its slots.
final class PropertyPlan: Sendable {
    enum Kind: Sendable {
        case attribute(AttributePlan)
        case toOne(RelationshipPlan, ToOneSlots)
        /// The number is the index into an object's to-many states.
        case toMany(RelationshipPlan, Int)
    }

    struct ToOneSlots: Sendable {
        /// Holds the entity number of the destination's row, where the table has such a column.
        let entity: Int?
        /// Holds the order in the inverse, where that is ordered.
        let order: Int?
    }

    let name: String
    /// The place among the entity's properties.
    let index: Int
    /// The first slot of an attribute, the only one of a to-one; meaningless for a to-many.
    let slot: Int
    let kind: Kind

    init(name: String, index: Int, slot: Int, kind: Kind) {
        self.name = name
        self.index = index
        self.slot = slot
        self.kind = kind
    }

    var attribute: AttributePlan? {
        if case .attribute(let attribute) = kind { return attribute }
        return nil
    }

    var relationship: RelationshipPlan? {
        switch kind {
        case .attribute: nil
        case .toOne(let relationship, _), .toMany(let relationship, _): relationship
        }
    }
}

/// An attribute's layout, shared instead of copied.
final class AttributePlan: Sendable {
    let layout: AttributeLayout
    let leaves: [LeafLayout]
    /// The only leaf of an attribute that is not composite.
    let leaf: LeafLayout?

    init(_ layout: AttributeLayout) {
        self.layout = layout
        leaves = layout.leaves
        leaf = layout.leaf
    }

    var name: String { layout.name }
    var isComposite: Bool { layout.isComposite }
    var description: AttributeDescription { layout.description }
}

/// A relationship's layout, shared instead of copied, with the SQL that reads it.
final class RelationshipPlan: Sendable {
    let layout: RelationshipLayout
    let name: String
    let storage: RelationshipLayout.Storage
    let isOrdered: Bool
    private let query = Mutex<ToManyQuery?>(nil)

    init(_ layout: RelationshipLayout) {
        self.layout = layout
        name = layout.name
        storage = layout.storage
        isOrdered = layout.isOrdered
    }

    var description: RelationshipDescription { layout.description }
    var declaringEntity: String { layout.declaringEntity }

    /// The SQL that reads a to-many, made once.
    func toManyQuery(_ plan: StorePlan) -> ToManyQuery? {
        query.withLock { known in
            if let known { return known }
            known = ToManyQuery(self, plan)
            return known
        }
    }
}

/// Gives slots to an entity's properties.
private struct SlotBuilder {
    let layout: EntityLayout
    var properties: [PropertyPlan] = []
    var columns: [Int] = []
    var leaves: [LeafLayout?] = []
    var ownerSlots: [String: EntityPlan.OwnerSlot] = [:]
    var toManyCount = 0
    private var pendingToOnes: [(property: Int, RelationshipPlan, RelationshipLayout.ForeignKey?)] = []

    init(_ layout: EntityLayout) {
        self.layout = layout
    }

    private mutating func slot(_ column: Int?, _ leaf: LeafLayout? = nil) -> Int {
        columns.append(column ?? -1)
        leaves.append(leaf)
        return columns.count - 1
    }

    mutating func add(_ name: String) {
        let index = properties.count
        if let attribute = layout.attribute(name) {
            let first = columns.count
            for leaf in attribute.leaves { _ = slot(leaf.column, leaf) }
            properties.append(
                PropertyPlan(name: name, index: index, slot: first, kind: .attribute(AttributePlan(attribute))))
        } else if let found = layout.relationship(name) {
            let relationship = RelationshipPlan(found)
            if found.isToMany {
                let kind = PropertyPlan.Kind.toMany(relationship, toManyCount)
                properties.append(PropertyPlan(name: name, index: index, slot: 0, kind: kind))
                toManyCount += 1
            } else {
                var key: RelationshipLayout.ForeignKey?
                if case .toOne(let columns) = found.storage { key = columns }
                let first = slot(key?.column)
                pendingToOnes.append((index, relationship, key))
                let kind = PropertyPlan.Kind.toOne(relationship, .init(entity: nil, order: nil))
                properties.append(PropertyPlan(name: name, index: index, slot: first, kind: kind))
            }
        }
    }

    mutating func addHidden() {
        for (index, relationship, key) in pendingToOnes {
            let slots = PropertyPlan.ToOneSlots(
                entity: key?.entityColumn.map { slot($0) }, order: key?.orderColumn.map { slot($0) })
            let old = properties[index]
            properties[index] = PropertyPlan(
                name: old.name, index: index, slot: old.slot, kind: .toOne(relationship, slots))
        }
        for (name, key) in layout.foreignKeysWithoutInverse.sorted(by: { $0.key < $1.key }) {
            ownerSlots[name] = EntityPlan.OwnerSlot(key: slot(key.column), order: key.orderColumn.map { slot($0) })
        }
    }
}
