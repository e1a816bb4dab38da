import SQLite
import StoreModel

/// Join tables of many-to-many relationships (Format, section 3.4).
enum JoinRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        let lookup = JoinTableLookup(catalogue: context.store.catalogue, tables: context.tables)
        var seen: Set<String> = []
        for (entity, relationship, inverse) in context.model.manyToManys where context.number(entity) != nil {
            guard let join = lookup.table(entity: entity, relationship: relationship, inverse: inverse) else {
                try context.report(.pairs(entity, relationship.name))
                continue
            }
            guard seen.insert(join.table).inserted else { continue }
            try context.reporting(damagedIn: join.table) {
                try check(join, entity, relationship.destinationEntityName, context)
                try duplicates(join, context)
            }
        }
    }

    private static func check(
        _ join: RelationshipLayout.JoinTable, _ entity: String, _ destination: String, _ context: VerifyContext
    ) throws {
        let (table, own, other) = (
            join.table.sqlIdentifier, join.ownColumn.sqlIdentifier, join.otherColumn.sqlIdentifier
        )
        for (column, name, end) in [(own, join.ownColumn, entity), (other, join.otherColumn, destination)] {
            let numbers = context.treeNumbers(end).sqlList
            let isThere = context.table(end).map {
                "EXISTS (SELECT 1 FROM \($0.sqlIdentifier) d WHERE d.Z_PK = j.\(column) AND d.Z_ENT IN \(numbers))"
            }
            let sql = """
                SELECT j.\(own), j.\(other), j.\(column) FROM \(table) j WHERE NOT \(isThere ?? "0") ORDER BY 1, 2
                """
            try context.rows(sql) { row in
                try context.report(
                    "join-dangling", place(join, row), "\(name) \(text(row, 2)) is no \(end)")
            }
        }
        guard join.isReflexive else { return }
        let sql = """
            SELECT \(own), \(other) FROM \(table) EXCEPT SELECT \(other), \(own) FROM \(table) ORDER BY 1, 2
            """
        try context.rows(sql) { row in
            try context.report(
                "join-mirror", place(join, row), "the mirror row of a self-inverse pair is missing")
        }
    }

    /// The primary key of both columns keeps a pair from being there twice, where the table has one.
    private static func duplicates(_ join: RelationshipLayout.JoinTable, _ context: VerifyContext) throws {
        let keys = try context.connection.query(
            "SELECT name FROM pragma_table_info(?) WHERE pk > 0", [.text(join.table)])
        guard Set(keys.compactMap { $0[0].textValue }) != [join.ownColumn, join.otherColumn] else { return }
        try context.report(
            "join-key", join.table, "its primary key is not of \(join.ownColumn) and \(join.otherColumn)")
        let (own, other) = (join.ownColumn.sqlIdentifier, join.otherColumn.sqlIdentifier)
        let sql = """
            SELECT \(own), \(other), count(*) FROM \(join.table.sqlIdentifier) GROUP BY 1, 2 HAVING count(*) > 1
            """
        try context.rows(sql) { row in
            try context.report("join-duplicate", place(join, row), "the pair is there \(row.integer(2)) times")
        }
    }

    /// A pair, the side of the entity first whose name comes first.
    private static func place(_ join: RelationshipLayout.JoinTable, _ row: Statement) -> String {
        "\(join.table) \(text(row, 0)),\(text(row, 1))"
    }

    private static func text(_ row: Statement, _ column: Int) -> String { row.text(column) ?? "NULL" }
}
