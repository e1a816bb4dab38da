import SQLite
import StoreModel

/// Copies the objects of each entity into the new store's tables: keys and versions stay, entity numbers are the new ones.
struct RowCopier {
    let context: MigrationContext
    let conversions: ExternalConversions
    /// Order columns whose relationship had no order before, by table and key column.
    private(set) var orders: [Order] = []
    private var checked: Set<String> = []

    /// An order to be made.
    struct Order: Hashable {
        let table: String
        let key: String
        let column: String
    }

    init(_ context: MigrationContext, _ conversions: ExternalConversions) {
        self.context = context
        self.conversions = conversions
    }

    mutating func run() throws {
        for entity in context.entities { try copy(entity) }
        for order in Set(orders) { try fill(order) }
        try refuseLostRows()
    }

    private mutating func copy(_ entity: MigrationContext.Entity) throws {
        var expressions = [String?](repeating: nil, count: entity.new.columns.count)
        var values: [SQLValue] = []
        for attribute in entity.new.attributes { try add(attribute, entity, &expressions, &values) }
        for relationship in entity.new.relationships {
            guard case .toOne(let key) = relationship.storage else { continue }
            try add(key, of: relationship, entity, &expressions)
        }
        for (path, key) in entity.new.foreignKeysWithoutInverse.sorted(by: { $0.key < $1.key }) {
            try add(key, ofOwner: path, entity, &expressions)
        }
        let columns = zip(entity.new.columns, expressions).compactMap { column, expression in
            expression.map { (column.sqlIdentifier, $0) }
        }
        let sql = """
            INSERT INTO main.\(entity.new.table.sqlIdentifier)
                (Z_PK, Z_ENT, Z_OPT\(columns.map { ", \($0.0)" }.joined()))
            SELECT s.Z_PK, \(entity.new.number), s.Z_OPT\(columns.map { ", \($0.1)" }.joined())
            FROM \(context.old(entity.old.table)) s WHERE s.Z_ENT = \(entity.old.number) ORDER BY s.Z_PK
            """
        try context.connection.prepare(sql).run(values)
    }

    // MARK: Attributes

    private func add(
        _ attribute: AttributeLayout, _ entity: MigrationContext.Entity, _ expressions: inout [String?],
        _ values: inout [SQLValue]
    ) throws {
        guard let mapping = entity.mapping.attribute(attribute.name) else { return }
        let was = mapping.source.flatMap { entity.old.attribute($0) }
        for (leaf, source) in zip(attribute.leaves, mapping.leaves) {
            guard let column = leaf.column else { continue }
            var expression: String?
            if let was, let place = source.source, was.leaves.indices.contains(place),
                let old = was.leaves[place].column
            {
                expression = conversions.sql("s.\(entity.old.columns[old].sqlIdentifier)", source.storage)
            }
            if let fill = source.fill {
                guard let value = fill.column(as: leaf) else {
                    context.refuse(
                        .badDefault, entity.new.name, attribute.name,
                        "its default is no value of the type \(leaf.type)",
                        way: "give it a default of its own type")
                    continue
                }
                values.append(value)
                expression = "coalesce(\(expression ?? "NULL"), ?\(values.count))"
            }
            expressions[column] = expression
        }
    }

    // MARK: Keys of other objects

    private mutating func add(
        _ key: RelationshipLayout.ForeignKey, of relationship: RelationshipLayout, _ entity: MigrationContext.Entity,
        _ expressions: inout [String?]
    ) throws {
        let destination = relationship.description.destinationEntityName
        let found: (key: String, order: String?, target: EntityLayout?)
        var oldNumber: String?
        if let name = entity.mapping.relationships[relationship.name] ?? nil,
            let was = entity.old.relationship(name), case .toOne(let old) = was.storage
        {
            func column(_ place: Int) -> String { "s.\(entity.old.columns[place].sqlIdentifier)" }
            oldNumber = old.entityColumn.map(column)
            found = (
                column(old.column), old.orderColumn.map(column),
                context.source.layout[was.description.destinationEntityName]
            )
        } else if let inverse = relationship.description.inverseName,
            let back = try backward(context.ends(of: inverse, in: destination), entity, relationship.name)
        {
            found = back
        } else {
            return
        }
        let target = kept(found.key, found.target, destination)
        expressions[key.column] = target
        if let column = key.entityColumn {
            expressions[column] = number(of: target, found.target, oldNumber)
        }
        if let order = key.orderColumn {
            expressions[order] = found.order
            if found.order == nil { note(key.column, order, entity.new) }
        }
    }

    private mutating func add(
        _ key: RelationshipLayout.ForeignKey, ofOwner path: String, _ entity: MigrationContext.Entity,
        _ expressions: inout [String?]
    ) throws {
        let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2,
            let found = try backward(context.ends(of: parts[1], in: parts[0]), entity, path)
        else { return }
        expressions[key.column] = kept(found.key, found.target, parts[0])
        if let order = key.orderColumn {
            expressions[order] = found.order
            if found.order == nil { note(key.column, order, entity.new) }
        }
    }

    private mutating func note(_ key: Int, _ order: Int, _ entity: EntityLayout) {
        orders.append(Order(table: entity.table, key: entity.columns[key], column: entity.columns[order]))
    }

    /// The key of the object whose relationship leads to this row.
    private mutating func backward(
        _ ends: [MigrationContext.End], _ entity: MigrationContext.Entity, _ property: String
    ) throws -> (key: String, order: String?, target: EntityLayout?)? {
        var keys: [String] = []
        var order: String?
        for end in ends {
            switch end.relationship.storage {
            case .toManyByInverse(let key), .toManyWithoutInverse(let key):
                guard key.entityNumbers.contains(entity.old.number) else { continue }
                keys.append("s.\(key.keyColumn.sqlIdentifier)")
                order = key.orderColumn.map { "s.\($0.sqlIdentifier)" }
            case .toOne, .manyToMany:
                guard let pairs = RelationshipPairs(end, context) else { continue }
                try refuseSeveral(pairs, end, entity, property)
                keys.append("(SELECT min(\(pairs.own)) FROM \(pairs.from) AND \(pairs.other) = s.Z_PK)")
            case .absent: continue
            }
        }
        guard let first = keys.first else { return nil }
        return (keys.count == 1 ? first : "coalesce(\(keys.joined(separator: ", ")))", order, ends.first?.entity)
    }

    /// A row holds one key: two objects that lead to it cannot both be kept.
    private mutating func refuseSeveral(
        _ pairs: RelationshipPairs, _ end: MigrationContext.End, _ entity: MigrationContext.Entity, _ property: String
    ) throws {
        guard checked.insert("\(end.entity.name).\(end.relationship.name)").inserted else { return }
        let sql = """
            SELECT \(pairs.other), group_concat(\(pairs.own)) FROM \(pairs.from) GROUP BY \(pairs.other)
            HAVING count(DISTINCT \(pairs.own)) > 1 ORDER BY 1 LIMIT 5
            """
        let rows = try context.connection.query(sql)
        guard !rows.isEmpty else { return }
        let named = rows.map { row in
            "\(entity.old.name)/\(row[0].integerValue ?? 0) from \(end.entity.name)/\(row[1].textValue ?? "")"
        }
        context.refuse(
            .notUnique, end.entity.name, end.relationship.name,
            "an object may be led to once only, but is more often: \(named.joined(separator: "; "))",
            way: "keep one of them, or make \(property) to-many")
    }

    /// The key, unless the object that it leads to goes, or is no longer of the kind that the relationship leads to.
    private func kept(_ key: String, _ target: EntityLayout?, _ destination: String) -> String {
        guard let target else { return key }
        let stay = Set(context.tree(of: destination).map(\.old.number))
        let gone = target.treeNumbers.filter { !stay.contains($0) }
        guard !gone.isEmpty else { return key }
        return """
            CASE WHEN EXISTS (SELECT 1 FROM \(context.old(target.table)) x WHERE x.Z_PK = \(key) AND x.Z_ENT IN \(gone.sqlList))
            THEN NULL ELSE \(key) END
            """
    }

    /// The new number of the entity of the row that a key leads to.
    private func number(of key: String, _ target: EntityLayout?, _ oldNumber: String?) -> String? {
        guard let target else { return nil }
        let found =
            "(SELECT \(context.renumbered("x.Z_ENT")) FROM \(context.old(target.table)) x WHERE x.Z_PK = \(key))"
        // A key that leads nowhere keeps what the file says of its kind.
        return oldNumber.map { "coalesce(\(found), CASE WHEN \(key) IS NOT NULL THEN \(context.renumbered($0)) END)" }
            ?? found
    }

    // MARK: After the rows

    /// What had no order gets that of the keys (Format, section 3.3).
    private func fill(_ order: Order) throws {
        let (table, key, column) = (order.table.sqlIdentifier, order.key.sqlIdentifier, order.column.sqlIdentifier)
        try context.connection.execute(
            """
            UPDATE main.\(table) SET \(column) = r.place
            FROM (SELECT Z_PK AS row, 1024 + 1024 * row_number() OVER (PARTITION BY \(key) ORDER BY Z_PK) AS place
                FROM main.\(table) WHERE \(key) IS NOT NULL) r
            WHERE r.row = main.\(table).Z_PK
            """)
    }

    /// A row whose entity number is of none of the model's entities would be left behind unsaid.
    private func refuseLostRows() throws {
        var known: [String: [Int64]] = [:]
        for entity in context.source.layout.entities { known[entity.table, default: []].append(entity.number) }
        for (table, numbers) in known.sorted(by: { $0.key < $1.key }) {
            let sql = """
                SELECT count(*), group_concat(DISTINCT ifnull(Z_ENT, 'NULL')) FROM \(context.old(table))
                WHERE Z_ENT IS NULL OR Z_ENT NOT IN \(numbers.sqlList)
                """
            guard let row = try context.connection.query(sql).first, let count = row[0].integerValue, count > 0 else {
                continue
            }
            context.refuse(
                .foreignContent, table, nil,
                "\(count) of its rows are of no entity of the model (Z_ENT \(row[1].textValue ?? ""))",
                way: "delete these rows first, or give the model that has their entities")
        }
    }
}
