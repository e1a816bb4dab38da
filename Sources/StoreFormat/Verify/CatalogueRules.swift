import SQLite
import StoreModel

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
            try check(entity, row, context)
        }
        try strangers(context)
        let seen = try seenByHistory(context)
        for root in context.roots {
            guard let table = context.table(root.name) else { continue }
            let counter = context.number(root.name).flatMap { rows[$0]?.maximum } ?? 0
            try context.reporting(damagedIn: table) {
                let sql = "SELECT max(Z_PK) FROM \(table.sqlIdentifier)"
                let highest = try context.connection.scalar(sql)?.integerValue ?? 0
                if highest > counter {
                    try context.report("key-counter", table, "Z_MAX \(counter) is below the highest Z_PK \(highest)")
                } else if let key = seen[root.name], key > counter {
                    try context.report("key-counter", table, "Z_MAX \(counter) is below the key \(key) in history")
                } else if counter >= .max - 1 {
                    try context.report("key-counter", table, "Z_MAX \(counter) leaves no key for a new row")
                }
            }
        }
    }

    /// The highest key that history has of each root's tree.
    private static func seenByHistory(_ context: VerifyContext) throws -> [String: Int64] {
        guard HistoryKeys.areIn(context.tables["ACHANGE"]) else { return [:] }
        var seen: [String: Int64] = [:]
        try context.reporting(damagedIn: "ACHANGE") {
            let keys = try HistoryKeys.highest(
                of: context.roots.map { context.treeNumbers($0.name) }, context.connection)
            for (root, key) in zip(context.roots, keys) { seen[root.name] = key }
        }
        return seen
    }

    private static func check(_ entity: EntityDescription, _ row: Catalogue.Row, _ context: VerifyContext) throws {
        let parent = entity.superentityName.map { context.number($0) ?? 0 } ?? 0
        if row.parent != parent {
            try context.report("catalogue-super", entity.name, "Z_SUPER \(row.parent), expected \(parent)")
        }
        // A renamed entity may keep its old name there (Format, section 2).
        if row.name != entity.name, row.name != entity.renamingIdentifier {
            try context.report(
                "catalogue-name", entity.name, "Z_PRIMARYKEY calls the entity number \(row.number) \(row.name)")
        }
        if entity.superentityName != nil, context.table(entity.name) != nil, row.maximum != 0 {
            try context.report("key-counter-sub", entity.name, "Z_MAX of a subentity is not 0")
        }
    }

    /// Rows of no entity, and values that are no numbers.
    private static func strangers(_ context: VerifyContext) throws {
        let known = Set(context.store.catalogue.numbers.values)
            .union([Catalogue.changeNumber, Catalogue.transactionNumber, Catalogue.transactionStringNumber])
        let sql = """
            SELECT Z_ENT, Z_NAME, Z_MAX, typeof(Z_MAX), Z_SUPER, typeof(Z_SUPER) FROM Z_PRIMARYKEY ORDER BY Z_ENT
            """
        try context.rows(sql) { row in
            let name = row.text(1) ?? "NULL"
            if !known.contains(row.integer(0)) {
                try context.report(
                    "catalogue-extra", name, "Z_PRIMARYKEY gives it the number \(row.integer(0)), the model lacks it")
            }
            if row.integer(0) > Catalogue.firstHistoryNumber, known.contains(row.integer(0)), row.integer(4) != 0 {
                try context.report("catalogue-super", name, "Z_SUPER \(row.integer(4)), expected 0")
            }
            if row.text(3) != "integer" || row.text(5) != "integer" {
                try context.report("catalogue-value", name, "Z_MAX or Z_SUPER is no integer")
            } else if row.integer(2) < 0 {
                try context.report("key-counter", name, "Z_MAX is \(row.integer(2))")
            }
        }
    }
}
