import SQLite
import StoreModel

/// What a migration would lose, counted before it is done.
public struct MigrationLoss: Sendable, Hashable {
    /// The entity in the store as it is.
    public var entity: String
    /// The property; nil where the objects themselves go.
    public var property: String?
    /// How many objects: that go, or that have a value of the property.
    public var objects: Int64
}

/// The questions that only the store's rows can answer.
struct MigrationChecks {
    let context: MigrationContext
    private var connection: Connection { context.connection }

    init(_ context: MigrationContext) {
        self.context = context
    }

    // MARK: Before the rows are copied

    /// Counts what has no place afterwards.
    func countLosses() throws {
        for name in context.mapping.removedEntities {
            guard let entity = context.source.layout[name] else { continue }
            let sql = "SELECT count(*) FROM \(context.old(entity.table)) WHERE Z_ENT = \(entity.number)"
            try lose(name, nil, sql)
        }
        for removed in context.mapping.removedProperties {
            guard let entity = context.source.layout[removed.entity] else { continue }
            if removed.isRelationship {
                try countPairs(removed, entity)
            } else if let attribute = entity.attribute(removed.name) {
                let columns = removed.leaves.compactMap { place in
                    attribute.leaves.indices.contains(place) ? attribute.leaves[place].column : nil
                }
                guard !columns.isEmpty else { continue }
                let held = columns.map { "\(entity.columns[$0].sqlIdentifier) IS NOT NULL" }.joined(separator: " OR ")
                let sql = """
                    SELECT count(*) FROM \(context.old(entity.table)) WHERE Z_ENT = \(entity.number) AND (\(held))
                    """
                try lose(removed.entity, removed.property, sql)
            }
        }
        try countMovedTargets()
        context.losses = context.losses.sorted { ($0.entity, $0.property ?? "") < ($1.entity, $1.property ?? "") }
    }

    private func lose(_ entity: String, _ property: String?, _ sql: String) throws {
        guard let count = try connection.scalar(sql)?.integerValue, count > 0 else { return }
        context.losses.append(MigrationLoss(entity: entity, property: property, objects: count))
    }

    /// A relationship whose other way stays is still there by that.
    private func countPairs(_ removed: RemovedProperty, _ entity: EntityLayout) throws {
        guard let declaring = entity.relationship(removed.name)?.declaringEntity,
            let end = context.end(removed.name, of: declaring), let pairs = RelationshipPairs(end, context)
        else { return }
        guard context.mapping.losesValues(removed) else { return }
        let sql = """
            SELECT count(DISTINCT \(pairs.own)) FROM \(pairs.from)
            AND \(pairs.own) IN (SELECT Z_PK FROM \(context.old(entity.table)) WHERE Z_ENT = \(entity.number))
            """
        try lose(removed.entity, removed.property, sql)
    }

    /// Objects that stay, but in a place where a relationship no longer leads.
    private func countMovedTargets() throws {
        for entity in context.layout.entities {
            for relationship in entity.relationships where relationship.declaringEntity == entity.name {
                let stay = Set(
                    context.tree(of: relationship.description.destinationEntityName).map(\.old.number))
                for end in context.ends(of: relationship.name, in: entity.name) {
                    guard let target = context.source.layout[end.relationship.description.destinationEntityName],
                        let pairs = RelationshipPairs(end, context)
                    else { continue }
                    let moved = target.treeNumbers.filter { !stay.contains($0) && context.numbers[$0] != nil }
                    guard !moved.isEmpty else { continue }
                    let sql = """
                        SELECT count(DISTINCT \(pairs.own)) FROM \(pairs.from)
                        AND \(pairs.other) IN (SELECT Z_PK FROM \(context.old(target.table)) WHERE Z_ENT IN \(moved.sqlList))
                        """
                    try lose(end.entity.name, end.relationship.name, sql)
                }
            }
        }
    }

    /// Refuses each loss.
    func refuseLosses() {
        for loss in context.losses {
            let objects = loss.objects == 1 ? "1 object" : "\(loss.objects) objects"
            context.refuse(
                .dataLoss, loss.entity, loss.property,
                loss.property == nil
                    ? "it is not in the new model, and \(objects) would go"
                    : "it is not in the new model, and \(objects) would lose a value",
                way: loss.property == nil
                    ? "give the new name the renaming identifier \(loss.entity), or allow it: --allow-data-loss"
                    : "give the new name the renaming identifier \(loss.property ?? ""), or allow it: --allow-data-loss"
            )
        }
    }

    // MARK: When the rows are in the new tables, and have no indexes yet

    func checkRows() throws {
        try refuseAbstractObjects()
        try refuseMissingValues()
        try refuseDuplicates()
    }

    private func refuseAbstractObjects() throws {
        for entity in context.entities where entity.new.isAbstract && !entity.old.isAbstract {
            let sql = "SELECT count(*) FROM main.\(entity.new.table.sqlIdentifier) WHERE Z_ENT = \(entity.new.number)"
            guard let count = try connection.scalar(sql)?.integerValue, count > 0 else { continue }
            context.refuse(
                .entityAbstract, entity.new.name, nil, "it is abstract now, but \(count) objects are of it",
                way: "delete these objects first, or leave it as it was")
        }
    }

    /// A relationship that became mandatory needs an object everywhere.
    private func refuseMissingValues() throws {
        for entity in context.entities {
            for relationship in entity.new.relationships where isNewlyRequired(relationship, entity) {
                guard let missing = condition(relationship, entity.new) else { continue }
                let sql = """
                    SELECT r.Z_PK FROM main.\(entity.new.table.sqlIdentifier) r
                    WHERE r.Z_ENT = \(entity.new.number) AND \(missing) ORDER BY 1
                    """
                let keys = try connection.query(sql + " LIMIT 5").map {
                    "\(entity.new.name)/\($0[0].integerValue ?? 0)"
                }
                guard !keys.isEmpty else { continue }
                let count = try connection.scalar("SELECT count(*) FROM (\(sql))")?.integerValue ?? 0
                context.refuse(
                    .valueMissing, entity.new.name, relationship.name,
                    "it is mandatory now, and \(count) objects lead nowhere: \(keys.joined(separator: ", "))",
                    way: "give these objects one first, or leave it optional")
            }
        }
    }

    private func isNewlyRequired(_ relationship: RelationshipLayout, _ entity: MigrationContext.Entity) -> Bool {
        guard !relationship.description.isOptional else { return false }
        guard let name = entity.mapping.relationships[relationship.name] ?? nil, let was = entity.old.relationship(name)
        else { return !relationship.isToMany || relationship.description.minCount > 0 }
        return was.description.isOptional
    }

    private func condition(_ relationship: RelationshipLayout, _ entity: EntityLayout) -> String? {
        func none(_ table: String, _ column: String) -> String {
            "NOT EXISTS (SELECT 1 FROM main.\(table.sqlIdentifier) d WHERE d.\(column.sqlIdentifier) = r.Z_PK)"
        }
        switch relationship.storage {
        case .toOne(let key): return "r.\(entity.columns[key.column].sqlIdentifier) IS NULL"
        case .toManyByInverse(let key), .toManyWithoutInverse(let key): return none(key.table, key.keyColumn)
        case .manyToMany(let join): return none(join.table, join.ownColumn)
        case .absent: return nil
        }
    }

    private func refuseDuplicates() throws {
        let names = Dictionary(
            context.layout.entities.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
        // The index of a subentity's constraint covers the whole table: it refuses what siblings have too.
        var seen: Set<[String]> = []
        // Parents first: a constraint is named after the entity that declares it.
        for entity in context.plan.model.numberedEntities.compactMap({ context.layout[$0.name] }) {
            for constraint in entity.uniquenessConstraints where !constraint.columns.isEmpty {
                let columns = constraint.columns.map { entity.columns[$0].sqlIdentifier }
                guard seen.insert([entity.table] + columns).inserted else { continue }
                let sql = """
                    SELECT group_concat(Z_ENT || '/' || Z_PK) FROM main.\(entity.table.sqlIdentifier)
                    WHERE \(columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND "))
                    GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1 LIMIT 5
                    """
                let groups = try connection.query(sql).compactMap { $0[0].textValue }.map { group in
                    group.split(separator: ",").prefix(10).map { member in
                        let parts = member.split(separator: "/")
                        return "\(parts.first.flatMap { Int64($0) }.flatMap { names[$0] } ?? "")/\(parts.last ?? "")"
                    }.joined(separator: " and ")
                }
                guard !groups.isEmpty else { continue }
                context.refuse(
                    .notUnique, entity.name, constraint.properties.joined(separator: ","),
                    "the values are to be unique, and are not: \(groups.joined(separator: "; "))",
                    way: "make them differ, or delete one of each first")
            }
        }
    }
}
