import StoreModel

/// What a column of an entity table is for.
struct ColumnPurpose: Hashable, Sendable {
    enum Role: Hashable, Sendable {
        case attribute(leaf: Int)
        case foreignKey
        case foreignEntity
        case order
        /// The key of a to-many without inverse, declared by `entity` and stored in its destination's table.
        case ownerKey
        case ownerOrder
    }

    let entity: String
    let property: String
    let role: Role
}

/// The columns that an inheritance tree's table has when it is made, in their order (Format, sections 3.1 to 3.3).
struct ColumnPlan: Sendable {
    struct Column: Sendable {
        let purpose: ColumnPurpose
        let name: String
        let declaredType: String
    }

    let root: String
    let table: String
    let columns: [Column]

    init(root: String, model: ModelDescription, numbers: [String: Int64]) {
        self.root = root
        table = Self.tableName(root)
        var items: [Item] = []
        let tree = model.tree(of: root)
        let place = Dictionary(tree.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        for (i, entity) in tree.enumerated() {
            for attribute in entity.attributes where !attribute.isTransient {
                Self.add(attribute, of: entity, at: i, to: &items)
            }
            for relationship in entity.relationships where !relationship.isTransient && !relationship.isToMany {
                Self.add(relationship, of: entity, at: i, model: model, numbers: numbers, to: &items)
            }
        }
        for entity in model.owners(of: place.keys) {
            for relationship in entity.relationships
            where relationship.isToMany && relationship.inverseName == nil && !relationship.isTransient {
                guard let i = place[relationship.destinationEntityName] else { continue }
                Self.addOwnerKey(relationship, of: entity, at: i, number: numbers[entity.name] ?? 0, to: &items)
            }
        }
        items.sort { $0.precedes($1) }
        // A property whose name would be one of these has no column in any known file, and must not be taken for the key.
        var used = Self.fixed
        columns = items.map { item in
            var name = item.column
            var suffix = 0
            while !used.insert(name).inserted {
                suffix += 1
                name = item.column + "\(suffix)"
            }
            return Column(purpose: item.purpose, name: name, declaredType: item.declaredType)
        }
    }

    /// The columns that every table of entities has.
    static let fixed: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]

    static func tableName(_ root: String) -> String { "Z" + root.uppercased() }

    /// The leaves of an attribute: itself, or a composite's elements at any depth, in declared order.
    static func leaves(of attribute: AttributeDescription) -> [AttributeDescription] { attribute.leaves }

    private struct Item {
        let order: Int
        let entity: Int
        let group: Int
        let property: String
        let sub: Int
        let column: String
        let declaredType: String
        let purpose: ColumnPurpose

        func precedes(_ other: Item) -> Bool {
            if order != other.order { return order < other.order }
            if entity != other.entity { return entity < other.entity }
            if group != other.group { return group < other.group }
            if property != other.property { return property.utf8.lexicographicallyPrecedes(other.property.utf8) }
            return sub < other.sub
        }
    }

    private static func add(
        _ attribute: AttributeDescription, of entity: EntityDescription, at i: Int, to items: inout [Item]
    ) {
        for (k, leaf) in leaves(of: attribute).enumerated() {
            let (order, type) = storage(of: leaf.type)
            items.append(
                Item(
                    order: order, entity: i, group: 0, property: attribute.name, sub: k,
                    column: "Z" + leaf.name.uppercased(), declaredType: type,
                    purpose: ColumnPurpose(entity: entity.name, property: attribute.name, role: .attribute(leaf: k))))
        }
    }

    private static func add(
        _ relationship: RelationshipDescription, of entity: EntityDescription, at i: Int, model: ModelDescription,
        numbers: [String: Int64], to items: inout [Item]
    ) {
        let name = relationship.name.uppercased()
        func purpose(_ role: ColumnPurpose.Role) -> ColumnPurpose {
            ColumnPurpose(entity: entity.name, property: relationship.name, role: role)
        }
        func item(order: Int, group: Int, sub: Int, _ column: String, _ role: ColumnPurpose.Role) -> Item {
            Item(
                order: order, entity: i, group: group, property: relationship.name, sub: sub, column: column,
                declaredType: "INTEGER", purpose: purpose(role))
        }
        items.append(item(order: 0, group: 1, sub: 0, "Z" + name, .foreignKey))
        if !model.subentities(of: relationship.destinationEntityName).isEmpty {
            let number = numbers[relationship.destinationEntityName] ?? 0
            items.append(item(order: 0, group: 1, sub: 1, "Z\(number)_\(name)", .foreignEntity))
        }
        if let inverse = relationship.inverseName,
            let back = model.relationships(of: relationship.destinationEntityName).first(where: { $0.name == inverse }),
            back.isOrdered
        {
            items.append(item(order: 1, group: 2, sub: 0, "Z_FOK_" + name, .order))
        }
    }

    private static func addOwnerKey(
        _ relationship: RelationshipDescription, of entity: EntityDescription, at i: Int, number: Int64,
        to items: inout [Item]
    ) {
        let name = "\(number)\(relationship.name.uppercased())"
        func item(_ group: Int, _ column: String, _ role: ColumnPurpose.Role) -> Item {
            Item(
                order: 0, entity: i, group: group, property: relationship.name, sub: 0, column: column,
                declaredType: "INTEGER",
                purpose: ColumnPurpose(entity: entity.name, property: relationship.name, role: role))
        }
        items.append(item(3, "Z" + name, .ownerKey))
        if relationship.isOrdered { items.append(item(4, "Z_FOK_" + name, .ownerOrder)) }
    }

    private static func storage(of type: AttributeType) -> (order: Int, type: String) {
        switch type {
        case .integer16, .integer32, .integer64, .boolean: (0, "INTEGER")
        case .double, .float: (2, "FLOAT")
        case .date: (2, "TIMESTAMP")
        case .decimal: (3, "DECIMAL")
        case .string: (4, "VARCHAR")
        case .uri: (5, "VARCHAR")
        case .uuid: (6, "BLOB")
        case .transformable: (7, "BLOB")
        case .binaryData: (8, "BLOB")
        case .undefined, .objectID, .composite: (9, "BLOB")
        }
    }
}
