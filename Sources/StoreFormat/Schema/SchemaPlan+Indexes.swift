import StoreModel

extension SchemaPlan {
    /// The statements of `indexPlans`.
    var indexes: [String] { indexPlans.map(\.statement) }

    /// The indexes, of each table those of its keys first (Format, section 4). Compound indexes, which compilers still
    /// write into a model beside the fetch indexes, are made by no framework from 851 on.
    var indexPlans: [IndexPlan] {
        roots.flatMap { root -> [IndexPlan] in
            guard let plan = plans[root.name] else { return [] }
            let keys = plan.columns.filter { $0.purpose.role == .foreignKey || $0.purpose.role == .ownerKey }
            var result = keys.map {
                IndexPlan(
                    kind: .key, name: "\(plan.table)_\($0.name)_INDEX", table: plan.table,
                    columns: [.init(name: $0.name)],
                    place: "the index of the relationship \($0.purpose.entity).\($0.purpose.property)")
            }
            let tree = model.tree(of: root.name)
            if tree.count > 1 {
                result.append(
                    IndexPlan(
                        kind: .entity, name: "\(plan.table)_Z_ENT_INDEX", table: plan.table,
                        columns: [.init(name: "Z_ENT")], place: "the index of the entities of \(root.name)"))
            }
            for entity in tree {
                result += fetchIndexes(of: entity) + uniqueIndexes(of: entity)
            }
            return result
        }
    }

    private func table(of entity: EntityDescription) -> String { ColumnPlan.tableName(model.rootName(of: entity.name)) }

    private func fetchIndexes(of entity: EntityDescription) -> [IndexPlan] {
        entity.fetchIndexes.compactMap { index in
            guard !index.elements.contains(where: { $0.kind == .rTree }) else { return nil }
            let parts = index.elements.map { element in
                indexed(element.property, in: entity.name).map {
                    IndexPlan.Column(name: $0, suffix: " COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")")
                }
            }
            // A to-one has the index of its key already.
            if index.elements.count == 1, isKey(index.elements[0].property, in: entity.name) { return nil }
            // An index over a property without a column, such as a to-many, is left out.
            guard !parts.contains(nil), !parts.isEmpty else { return nil }
            let filter = index.partialIndexPredicateFormat.map { PartialIndex(self, entity.name).sql(of: $0) }
            if let filter, filter == nil { return nil }
            return IndexPlan(
                kind: .fetch, name: "Z_\(entity.name)_\(index.name)", table: table(of: entity),
                columns: parts.compactMap { $0 }, place: "the fetch index \(index.name) of \(entity.name)",
                filter: filter ?? nil)
        }
    }

    private func indexed(_ property: String, in entity: String) -> String? {
        switch property {
        case "self": "Z_PK"
        case "self.entity", "entity": "Z_ENT"
        default: column(of: property, in: entity)?.column
        }
    }

    private func isKey(_ property: String, in entity: String) -> Bool {
        model.relationships(of: entity).contains { $0.name == property && !$0.isToMany }
    }

    private func uniqueIndexes(of entity: EntityDescription) -> [IndexPlan] {
        entity.uniquenessConstraints.compactMap { names in
            let columns = names.compactMap { column(of: $0, in: entity.name)?.column }
            guard columns.count == names.count, !columns.isEmpty else { return nil }
            return IndexPlan(
                kind: .unique, name: "Z_\(entity.name)_UNIQUE_\(names.joined(separator: "_"))",
                table: table(of: entity), columns: columns.map { .init(name: $0, suffix: " COLLATE BINARY ASC") },
                place: "the uniqueness constraint (\(names.joined(separator: ", "))) of \(entity.name)")
        }
    }

    /// The R*Tree indexes, which are tables with triggers.
    var spatialIndexes: [SpatialIndex] {
        model.numberedEntities.flatMap { entity in
            entity.fetchIndexes.compactMap { index in
                guard index.elements.contains(where: { $0.kind == .rTree }) else { return nil }
                let columns = index.elements.compactMap { column(of: $0.property, in: entity.name)?.column }
                guard columns.count == index.elements.count else { return nil }
                return SpatialIndex(
                    table: table(of: entity), columns: columns, name: "Z_RT_\(entity.name)_\(index.name)",
                    place: "the fetch index \(index.name) of \(entity.name)")
            }
        }
    }
}
