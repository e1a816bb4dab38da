import SQLite

/// `Z_PRIMARYKEY` against the model (Format, section 2).
enum CatalogueRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        let catalogue = context.store.catalogue
        let rows = Dictionary(catalogue.rows.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        for entity in context.entities {
            guard let number = context.number(entity.name), let row = rows[number] else {
                try context.report("catalogue-missing", entity.name, "the model has it, Z_PRIMARYKEY does not")
                continue
            }
            let parent = entity.superentityName.map { context.number($0) ?? 0 } ?? 0
            if row.parent != parent {
                try context.report("catalogue-super", entity.name, "Z_SUPER \(row.parent), expected \(parent)")
            }
            if entity.superentityName != nil, context.table(entity.name) != nil, row.maximum != 0 {
                try context.report("key-counter-sub", entity.name, "Z_MAX of a subentity is not 0")
            }
        }
        for root in context.roots {
            guard let table = context.table(root.name) else { continue }
            let counter = context.number(root.name).flatMap { rows[$0]?.maximum } ?? 0
            let highest =
                try context.connection.scalar("SELECT max(Z_PK) FROM \(table.sqlIdentifier)")?.integerValue ?? 0
            if highest > counter {
                try context.report(
                    "key-counter", table, "Z_MAX \(counter) is below the highest Z_PK \(highest)")
            }
        }
    }
}
