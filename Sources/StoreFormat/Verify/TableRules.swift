import SQLite
import StoreModel

/// The tables and columns that the model calls for (Format, section 3).
enum TableRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        for root in context.roots {
            guard let table = context.plans[root.name] else { continue }
            guard table.exists else {
                try context.report(.table(table.plan.table, of: root.name))
                continue
            }
            for part in MissingPart.columns(of: table) { try context.report(part) }
            try types(table, context)
        }
        try strangers(context)
    }

    /// Tables that look like an entity's or a join table's, and belong to nothing in the model: their rows are seen by
    /// nobody.
    private static func strangers(_ context: VerifyContext) throws {
        var known = Set(context.plans.values.map(\.plan.table))
        known.formUnion(OwnershipUnits.joinTables(context.store.layout).keys)
        known.formUnion(["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"])
        for table in context.tables.names where !known.contains(table) {
            let columns = context.tables[table] ?? []
            let isEntity = columns.starts(with: ["Z_PK", "Z_ENT", "Z_OPT"]) && table.hasPrefix("Z")
            let isJoin = table.hasPrefix("Z_") && columns.allSatisfy { $0.hasPrefix("Z_") || $0 == "REFLEXIVE" }
            guard isEntity || isJoin else { continue }
            try context.report(
                "table-extra", table, "nothing in the model has its rows in this table", .warning)
        }
    }

    /// A column's declared type decides what SQLite makes of the values that are put there.
    private static func types(_ table: ResolvedTable, _ context: VerifyContext) throws {
        var declared: [String: String] = [:]
        var key = ""
        let known = Set(table.column.values).union(["Z_PK", "Z_ENT", "Z_OPT"])
        try context.rows(
            "SELECT name, upper(type), pk, \"notnull\", dflt_value FROM pragma_table_info(\(table.plan.table.sqlLiteral))"
        ) { row in
            let name = row.text(0) ?? ""
            declared[name] = row.text(1)
            if row.integer(2) > 0 { key += name }
            if row.integer(3) != 0, row.integer(2) == 0, !known.contains(name) || row.isNull(4) {
                try context.report(
                    "column-form", "\(table.plan.table) \(name)", "it is declared NOT NULL, which no framework asks for"
                )
            } else if !known.contains(name) {
                try context.report(
                    "column-extra", "\(table.plan.table) \(name)", "no property of the model has its values there",
                    .warning)
            }
        }
        if table.real.contains("Z_PK"), key != "Z_PK" || declared["Z_PK"] != "INTEGER" {
            try context.report("table-key", table.plan.table, "Z_PK is not its integer primary key")
        }
        for column in table.plan.columns {
            guard let name = table.column[column.purpose], let type = declared[name], type != column.declaredType
            else { continue }
            try context.report(
                "column-type", "\(table.plan.table) \(column.purpose.entity).\(column.purpose.property)",
                "\(name) is declared \(type.isEmpty ? "without a type" : type), expected \(column.declaredType)")
        }
    }
}
