import StoreModel

/// Builds the layouts of a model's entities.
struct LayoutBuilder {
    let model: ModelDescription
    let catalogue: Catalogue
    let tables: TableColumns
    let plans: [String: ResolvedTable]

    func layout(of entity: EntityDescription) -> EntityLayout? {
        let root = model.rootName(of: entity.name)
        guard let number = catalogue.numbers[entity.name], let rootNumber = catalogue.numbers[root],
            let table = plans[root], table.exists
        else { return nil }
        let chain = model.inheritanceChain(of: entity.name)
        let names = Set(chain.map(\.name))

        // The entity's own columns, in the table's order.
        var columns: [String] = []
        var index: [ColumnPurpose: Int] = [:]
        for planned in table.plan.columns {
            let purpose = planned.purpose
            let isOwnerKey = purpose.role == .ownerKey || purpose.role == .ownerOrder
            let holder = isOwnerKey ? destination(of: purpose) : purpose.entity
            guard names.contains(holder), let column = table.column[purpose] else { continue }
            index[purpose] = columns.count
            columns.append(column)
        }

        let attributes = chain.flatMap { declaring in
            declaring.attributes.filter { !$0.isTransient }.map { attribute(of: declaring, $0, index) }
        }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let relationships = chain.flatMap { declaring in
            declaring.relationships.filter { !$0.isTransient }.map { relationship(of: declaring, $0, index) }
        }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let ownerKeys = ownerKeys(index)
        let tree = model.tree(of: entity.name).filter { catalogue.numbers[$0.name] != nil }
        return EntityLayout(
            name: entity.name, number: number, superentityName: entity.superentityName, rootName: root,
            rootNumber: rootNumber, isAbstract: entity.isAbstract, table: table.plan.table, columns: columns,
            attributes: attributes, relationships: relationships,
            treeNumbers: tree.compactMap { catalogue.numbers[$0.name] }, treeNames: tree.map(\.name),
            bitmap: bitmap(attributes, relationships, ownerKeys), foreignKeysWithoutInverse: ownerKeys,
            tombstoneAttributes: attributes.filter { $0.description.preservesValueInHistoryOnDeletion },
            uniquenessConstraints: uniqueness(chain, attributes, relationships),
            attributeIndex: Self.index(attributes.map(\.name)), relationshipIndex: Self.index(relationships.map(\.name))
        )
    }

    private static func index(_ names: [String]) -> [String: Int] {
        Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private func destination(of purpose: ColumnPurpose) -> String {
        model[purpose.entity]?.relationships.first { $0.name == purpose.property }?.destinationEntityName ?? ""
    }

    private func attribute(
        of entity: EntityDescription, _ attribute: AttributeDescription, _ index: [ColumnPurpose: Int]
    ) -> AttributeLayout {
        let leaves = ColumnPlan.leaves(of: attribute).enumerated().map { k, leaf in
            let path = "\(entity.name).\(attribute.name)" + (attribute.isComposite ? ".\(leaf.name)" : "")
            return LeafLayout(
                name: leaf.name, path: path, type: leaf.type, isExternal: leaf.allowsExternalBinaryDataStorage,
                column: index[ColumnPurpose(entity: entity.name, property: attribute.name, role: .attribute(leaf: k))])
        }
        return AttributeLayout(name: attribute.name, description: attribute, leaves: leaves)
    }

    private func relationship(
        of entity: EntityDescription, _ relationship: RelationshipDescription, _ index: [ColumnPurpose: Int]
    ) -> RelationshipLayout {
        RelationshipLayout(
            name: relationship.name, description: relationship, declaringEntity: entity.name,
            storage: storage(of: entity, relationship, index))
    }

    private func storage(
        of entity: EntityDescription, _ relationship: RelationshipDescription, _ index: [ColumnPurpose: Int]
    ) -> RelationshipLayout.Storage {
        func purpose(_ role: ColumnPurpose.Role) -> ColumnPurpose {
            ColumnPurpose(entity: entity.name, property: relationship.name, role: role)
        }
        if !relationship.isToMany {
            guard let column = index[purpose(.foreignKey)] else { return .absent }
            return .toOne(
                .init(
                    column: column, entityColumn: index[purpose(.foreignEntity)], orderColumn: index[purpose(.order)]))
        }
        let destination = relationship.destinationEntityName
        guard let table = plans[model.rootName(of: destination)], table.exists else { return .absent }
        let numbers = model.tree(of: destination).compactMap { catalogue.numbers[$0.name] }
        func destinationKey(_ key: ColumnPurpose, _ ent: ColumnPurpose?, _ order: ColumnPurpose) -> RelationshipLayout
            .DestinationKey?
        {
            guard let column = table.column[key] else { return nil }
            return .init(
                table: table.plan.table, keyColumn: column, entityColumn: ent.flatMap { table.column[$0] },
                orderColumn: table.column[order], entityNumbers: numbers, inverseName: relationship.inverseName)
        }
        guard let inverseName = relationship.inverseName else {
            return destinationKey(purpose(.ownerKey), nil, purpose(.ownerOrder)).map { .toManyWithoutInverse($0) }
                ?? .absent
        }
        guard let (holder, inverse) = declaration(of: inverseName, in: destination) else { return .absent }
        if inverse.isToMany {
            return JoinTableLookup(catalogue: catalogue, tables: tables)
                .table(entity: entity.name, relationship: relationship, inverse: inverse)
                .map { .manyToMany($0) } ?? .absent
        }
        func back(_ role: ColumnPurpose.Role) -> ColumnPurpose {
            ColumnPurpose(entity: holder, property: inverseName, role: role)
        }
        return destinationKey(back(.foreignKey), back(.foreignEntity), back(.order)).map { .toManyByInverse($0) }
            ?? .absent
    }

    private func declaration(of name: String, in entity: String) -> (String, RelationshipDescription)? {
        for entity in model.inheritanceChain(of: entity) {
            if let found = entity.relationships.first(where: { $0.name == name }) { return (entity.name, found) }
        }
        return nil
    }

    private func ownerKeys(_ index: [ColumnPurpose: Int]) -> [String: RelationshipLayout.ForeignKey] {
        var keys: [String: RelationshipLayout.ForeignKey] = [:]
        for (purpose, column) in index where purpose.role == .ownerKey {
            let order = ColumnPurpose(entity: purpose.entity, property: purpose.property, role: .ownerOrder)
            keys["\(purpose.entity).\(purpose.property)"] = .init(
                column: column, entityColumn: nil, orderColumn: index[order])
        }
        return keys
    }

    /// Slots follow the model, not the file: a relationship that the file has no column for still has its slot.
    private func bitmap(
        _ attributes: [AttributeLayout], _ relationships: [RelationshipLayout],
        _ ownerKeys: [String: RelationshipLayout.ForeignKey]
    ) -> ChangeBitmap {
        var unused = ownerKeys.values.reduce(0) { $0 + 1 + ($1.orderColumn == nil ? 0 : 1) }
        for relationship in relationships where !relationship.isToMany {
            if !model.subentities(of: relationship.description.destinationEntityName).isEmpty { unused += 1 }
            if let inverse = relationship.description.inverseName,
                declaration(of: inverse, in: relationship.description.destinationEntityName)?.1.isOrdered == true
            {
                unused += 1
            }
        }
        return ChangeBitmap(
            toOnes: relationships.filter { !$0.isToMany }.map(\.name), unused: unused,
            attributes: attributes.map { ($0.name, $0.leaves.count) },
            toManys: relationships.filter(\.isToMany).map(\.name))
    }

    private func uniqueness(
        _ chain: [EntityDescription], _ attributes: [AttributeLayout], _ relationships: [RelationshipLayout]
    ) -> [EntityLayout.UniquenessLayout] {
        chain.flatMap(\.uniquenessConstraints).compactMap { names in
            let columns: [Int] = names.compactMap { name in
                if let attribute = attributes.first(where: { $0.name == name }) { return attribute.leaf?.column }
                if case .toOne(let key)? = relationships.first(where: { $0.name == name })?.storage {
                    return key.column
                }
                return nil
            }
            return columns.count == names.count ? .init(properties: names, columns: columns) : nil
        }
    }
}
