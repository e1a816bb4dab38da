import SQLite

/// The R*Tree indexes against the rows that they index (Format, section 4).
enum SpatialRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        let plan = SchemaPlan(context.model, numbers: context.store.catalogue.numbers)
        for index in plan.spatialIndexes {
            guard let real = context.tables[index.table], index.columns.allSatisfy({ real.contains($0) }) else {
                continue
            }
            let isThere = try context.connection.scalar(
                "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [.text(index.name)])
            guard isThere != nil else {
                try context.report("index-missing", index.table, index.name)
                continue
            }
            try context.reporting(damagedIn: index.table) { try compare(index, context) }
        }
    }

    private static func compare(_ index: SpatialIndex, _ context: VerifyContext) throws {
        let (tree, table) = (index.name.sqlIdentifier, index.table.sqlIdentifier)
        // The tree keeps bounds as 32-bit floats, rounded outwards.
        let outside = index.columns.map { column in
            let (low, high) = ("\(column)_MIN".sqlIdentifier, "\(column)_MAX".sqlIdentifier)
            return "r.\(column.sqlIdentifier) < i.\(low) OR r.\(column.sqlIdentifier) > i.\(high)"
        }
        let stale = """
            SELECT r.Z_PK, i.Z_PK IS NULL FROM \(table) r LEFT JOIN \(tree) i ON i.Z_PK = r.Z_PK
            WHERE i.Z_PK IS NULL OR \(outside.joined(separator: " OR ")) ORDER BY r.Z_PK
            """
        try context.rows(stale) { row in
            try context.report(
                "index-stale", "\(index.table) \(row.integer(0))",
                "\(index.name) \(row.integer(1) != 0 ? "lacks the row" : "has another place for it")")
        }
        let left = "SELECT Z_PK FROM \(tree) WHERE Z_PK NOT IN (SELECT Z_PK FROM \(table)) ORDER BY Z_PK"
        try context.rows(left) { row in
            try context.report(
                "index-stale", "\(index.table) \(row.integer(0))", "\(index.name) has a row that is gone")
        }
    }
}
