import SQLite
import StoreModel

/// The tables and columns that the model calls for (Format, section 3).
enum TableRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        for root in context.roots {
            guard let table = context.plans[root.name] else { continue }
            guard table.exists else {
                try context.report("table-missing", root.name, table.plan.table)
                continue
            }
            for column in table.plan.columns where table.column[column.purpose] == nil {
                try context.report(
                    "column-missing", "\(table.plan.table) \(column.purpose.entity).\(column.purpose.property)",
                    "no column for this property")
            }
            for fixed in ["Z_PK", "Z_ENT", "Z_OPT"] where !table.real.contains(fixed) {
                try context.report("column-missing", "\(table.plan.table) \(fixed)", "no such column")
            }
            try types(table, context)
        }
    }

    /// A column's declared type decides what SQLite makes of the values that are put there.
    private static func types(_ table: ResolvedTable, _ context: VerifyContext) throws {
        var declared: [String: String] = [:]
        var key = ""
        try context.rows(
            "SELECT name, upper(type), pk FROM pragma_table_info(\(table.plan.table.sqlLiteral))"
        ) { row in
            if let name = row.text(0) { declared[name] = row.text(1) }
            if row.integer(2) > 0 { key += row.text(0) ?? "" }
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
