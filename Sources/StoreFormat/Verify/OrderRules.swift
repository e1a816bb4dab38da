import SQLite
import StoreModel

/// The columns that keep the order of ordered relationships (Format, sections 3.3 and 3.4).
enum OrderRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        var checks: [RowCheck] = []
        for entity in context.entities {
            for relationship in entity.relationships where !relationship.isTransient {
                let roles: (ColumnPurpose.Role, ColumnPurpose.Role, String) =
                    relationship.isToMany
                    ? (.ownerKey, .ownerOrder, relationship.destinationEntityName) : (.foreignKey, .order, entity.name)
                guard let table = context.table(roles.2),
                    let key = context.column(entity.name, relationship.name, roles.0),
                    let order = context.column(entity.name, relationship.name, roles.1)
                else { continue }
                checks.append(
                    RowCheck(
                        rule: "order-missing", table: table, suffix: ".\(relationship.name)",
                        condition: "\(key.ofRow) IS NOT NULL AND \(order.ofRow) IS NULL",
                        what: "'in an ordered relationship, but \(order) is null'"))
                checks.append(
                    RowCheck(
                        rule: "order-value", table: table, suffix: ".\(relationship.name)",
                        condition: "\(order.ofRow) IS NOT NULL AND typeof(\(order.ofRow)) <> 'integer'",
                        what: "\("\(order) is no integer but ".sqlLiteral) || typeof(\(order.ofRow))"))
                try context.reporting(damagedIn: table) { try duplicates(table, key, order, context) }
            }
        }
        try context.check(checks)
        try joins(context)
    }

    private static func duplicates(_ table: String, _ key: String, _ order: String, _ context: VerifyContext) throws {
        let (k, o) = (key.sqlIdentifier, order.sqlIdentifier)
        let sql = """
            SELECT \(k), \(o), count(*) FROM \(table.sqlIdentifier) WHERE \(k) IS NOT NULL AND \(o) IS NOT NULL
            GROUP BY \(k), \(o) HAVING count(*) > 1
            """
        try context.rows(sql) { row in
            try context.report(
                "order-duplicate", "\(table) \(key) \(row.integer(0))",
                "\(row.integer(2)) rows with \(order) \(row.integer(1))")
        }
    }

    private static func joins(_ context: VerifyContext) throws {
        for entity in context.store.layout.entities {
            for relationship in entity.relationships where relationship.declaringEntity == entity.name {
                guard case .manyToMany(let join) = relationship.storage, let order = join.orderColumn else { continue }
                try context.reporting(damagedIn: join.table) {
                    try duplicates(join.table, join.ownColumn, order, context)
                    try missing(join, order, context)
                }
            }
        }
    }

    private static func missing(
        _ join: RelationshipLayout.JoinTable, _ order: String, _ context: VerifyContext
    ) throws {
        let (own, other) = (join.ownColumn.sqlIdentifier, join.otherColumn.sqlIdentifier)
        let sql = """
            SELECT \(own), \(other), typeof(\(order.sqlIdentifier)) AS class FROM \(join.table.sqlIdentifier)
            WHERE class <> 'integer' ORDER BY 1, 2
            """
        try context.rows(sql) { row in
            let place = "\(join.table) \(row.text(0) ?? "NULL"),\(row.text(1) ?? "NULL")"
            let kind = row.text(2) ?? ""
            if kind == "null" {
                try context.report("order-missing", place, "in an ordered relationship, but \(order) is null")
            } else {
                try context.report("order-value", place, "\(order) is no integer but \(kind)")
            }
        }
    }
}
