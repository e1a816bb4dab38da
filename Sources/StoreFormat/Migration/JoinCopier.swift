import SQLite
import StoreModel

/// Fills the join tables of many-to-many relationships.
struct JoinCopier {
    let context: MigrationContext

    func run() throws {
        var seen: Set<String> = []
        for entity in context.layout.entities {
            for relationship in entity.relationships where relationship.declaringEntity == entity.name {
                guard case .manyToMany(let join) = relationship.storage, seen.insert(join.table).inserted else {
                    continue
                }
                try fill(join, relationship, of: entity)
            }
        }
    }

    private func fill(
        _ join: RelationshipLayout.JoinTable, _ relationship: RelationshipLayout, of entity: EntityLayout
    ) throws {
        let destination = relationship.description.destinationEntityName
        let forward = context.ends(of: relationship.name, in: entity.name)
        if !forward.isEmpty {
            for end in forward {
                let other = context.source.layout[end.relationship.description.destinationEntityName]
                try copy(
                    RelationshipPairs(end, context), join, own: (end.entity, entity.name), other: (other, destination))
            }
        } else if let inverse = relationship.description.inverseName {
            for end in context.ends(of: inverse, in: destination) {
                let own = context.source.layout[end.relationship.description.destinationEntityName]
                try copy(
                    RelationshipPairs(end, context)?.reversed, join, own: (own, entity.name),
                    other: (end.entity, destination))
            }
        }
    }

    private func copy(
        _ pairs: RelationshipPairs?, _ join: RelationshipLayout.JoinTable, own: (EntityLayout?, String),
        other: (EntityLayout?, String)
    ) throws {
        guard let pairs else { return }
        var columns = [join.ownColumn, join.otherColumn]
        var values = [pairs.own, pairs.other]
        func place(_ order: String?, _ list: String, _ element: String) -> String {
            order ?? "1024 + 1024 * row_number() OVER (PARTITION BY \(list) ORDER BY \(element))"
        }
        if let column = join.orderColumn {
            columns.append(column)
            values.append(place(pairs.order, pairs.own, pairs.other))
        }
        if let column = join.inverseOrderColumn {
            columns.append(column)
            values.append(place(pairs.inverseOrder, pairs.other, pairs.own))
        }
        let sql = """
            INSERT INTO main.\(join.table.sqlIdentifier) (\(columns.map(\.sqlIdentifier).joined(separator: ", ")))
            SELECT \(values.joined(separator: ", ")) FROM \(pairs.from)\(filter(pairs.own, own))\(filter(pairs.other, other))
            """
        try context.connection.execute(sql)
    }

    /// Leaves out pairs with an object that goes, or that the relationship no longer belongs or leads to.
    private func filter(_ key: String, _ side: (old: EntityLayout?, new: String)) -> String {
        guard let old = side.old else { return "" }
        let stay = Set(context.tree(of: side.new).map(\.old.number))
        let gone = old.treeNumbers.filter { !stay.contains($0) }
        guard !gone.isEmpty else { return "" }
        return " AND \(key) NOT IN (SELECT Z_PK FROM \(context.old(old.table)) WHERE Z_ENT IN \(gone.sqlList))"
    }
}
