import SQLite

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
        }
    }
}
