import SQLite
import StoreModel

/// Derived attributes that triggers keep (Format, section 5).
enum DerivedRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        try triggers(context)
        var checks: [RowCheck] = []
        for entity in context.entities {
            guard let table = context.table(entity.name) else { continue }
            for attribute in entity.attributes where attribute.isDerived && !attribute.isTransient {
                guard let column = context.column(entity.name, attribute.name, .attribute(leaf: 0)),
                    let form = DerivationForm(attribute, of: entity.name, in: context.model)
                else { continue }
                if case .count(let destination, let inverse) = form {
                    try context.reporting(damagedIn: table) {
                        try counts(entity.name, attribute.name, table, column, destination, inverse, context)
                    }
                    continue
                }
                guard let value = expression(form, of: entity.name, context) else { continue }
                checks.append(
                    RowCheck(
                        rule: "derived-value", table: table, suffix: ".\(attribute.name)",
                        condition: """
                            r.Z_ENT IN \(context.treeNumbers(entity.name).sqlList) AND \(column.ofRow) IS NOT \(value)
                            """,
                        what: "ifnull(\(column.ofRow), 'NULL') || ', expected ' || ifnull(\(value), 'NULL')"))
            }
        }
        try context.check(checks)
    }

    /// The triggers of the model's derived attributes, and those of its location indexes.
    private static func triggers(_ context: VerifyContext) throws {
        let plan = SchemaPlan(context.model, numbers: context.store.catalogue.numbers)
        let expected = (DerivedTriggers(plan).statements + plan.spatialIndexes.flatMap(\.statements))
            .filter { $0.hasPrefix("CREATE TRIGGER") }
        var found: [String: String] = [:]
        var tables: [String: String] = [:]
        try context.rows("SELECT name, sql, tbl_name FROM sqlite_master WHERE type = 'trigger'") { row in
            guard let name = row.text(0), let text = row.text(1) else { return }
            found[name] = Self.bare(text)
            tables[name] = row.text(2)
        }
        let known = Set(expected.compactMap { $0.split(separator: " ").dropFirst(2).first.map(String.init) })
        // An application has its own; what is named as one of a derived attribute writes to a column.
        for (name, table) in tables.sorted(by: { $0.key < $1.key })
        where !known.contains(name) && name.hasPrefix("Z_DA_") {
            try context.report("trigger-extra", table, "\(name) is of no derived attribute of the model", .warning)
        }
        for statement in expected {
            let words = statement.split(separator: " ").map(String.init)
            guard words.count > 6, let on = words.firstIndex(of: "ON"), on + 1 < words.count else { continue }
            let (name, table) = (words[2], words[on + 1])
            guard context.tables[table] != nil else { continue }
            if let text = found[name] {
                if text != Self.bare(statement) {
                    try context.report("trigger-altered", table, "\(name) is not as the framework makes it")
                }
            } else {
                try context.report("trigger-missing", table, name)
            }
        }
    }

    /// A statement without what may differ: blanks, and quotes around names.
    private static func bare(_ sql: String) -> String { sql.filter { !$0.isWhitespace && $0 != "\"" } }

    /// Counted once for all rows, not for each: the index that would find a row's own may be what is missing.
    private static func counts(
        _ entity: String, _ attribute: String, _ table: String, _ column: String, _ destination: String,
        _ inverse: String, _ context: VerifyContext
    ) throws {
        guard let back = context.declaration(of: inverse, in: destination),
            let key = context.column(back.entity, inverse, .foreignKey)?.sqlIdentifier,
            let other = context.table(destination)?.sqlIdentifier
        else { return }
        let sql = """
            SELECT r.Z_PK, \(column.ofRow), ifnull(g.n, 0) FROM \(table.sqlIdentifier) r
            LEFT JOIN (SELECT \(key) AS k, count(*) AS n FROM \(other) GROUP BY \(key)) g ON g.k = r.Z_PK
            WHERE r.Z_ENT IN \(context.treeNumbers(entity).sqlList) AND \(column.ofRow) IS NOT ifnull(g.n, 0)
            ORDER BY r.Z_PK
            """
        try context.rows(sql) { row in
            try context.report(
                "derived-value", "\(table) \(row.integer(0)).\(attribute)",
                "\(row.text(1) ?? "NULL"), expected \(row.integer(2))")
        }
    }

    private static func expression(_ form: DerivationForm, of entity: String, _ context: VerifyContext) -> String? {
        switch form {
        case .count: return nil
        case .value(let relationship, let destination, let attribute):
            let holder = context.model.inheritanceChain(of: destination).first { declaring in
                declaring.attributes.contains { $0.name == attribute }
            }
            guard let declared = context.declaration(of: relationship, in: entity),
                let key = context.column(declared.entity, relationship, .foreignKey), let holder,
                let column = context.column(holder.name, attribute, .attribute(leaf: 0)),
                let table = context.table(destination)
            else { return nil }
            return "(SELECT d.\(column.sqlIdentifier) FROM \(table.sqlIdentifier) d WHERE d.Z_PK = \(key.ofRow))"
        }
    }
}
