import SQLite

/// Copies of a store's own triggers as TEMP triggers.
///
/// A connection that has main-schema triggers off, so that the guard does not run for it, still has to run those that
/// keep derived attributes and R*Trees. Install again after every change of the schema.
public enum TriggerMirror {
    /// Our own triggers' prefix; these are not mirrored.
    public static let guardPrefix = "COEXIST_"

    /// Puts fresh copies of the store's triggers in place of the earlier ones.
    public static func install(on connection: Connection) throws {
        let existing = try connection.query(
            "SELECT name FROM sqlite_temp_master WHERE type = 'trigger' AND name LIKE 'MIRROR\\_%' ESCAPE '\\'")
        for row in existing {
            if let name = row[0].textValue { try connection.execute("DROP TRIGGER temp.\(name.sqlIdentifier)") }
        }
        let triggers = try connection.query(
            """
            SELECT name, tbl_name, sql FROM main.sqlite_master
            WHERE type = 'trigger' AND name NOT LIKE 'COEXIST\\_%' ESCAPE '\\' AND sql IS NOT NULL
            """)
        for row in triggers {
            guard let name = row[0].textValue, let table = row[1].textValue, let sql = row[2].textValue,
                let copy = temporary(sql, name: name, table: table)
            else { continue }
            // One statement: SQLite reads no further in a schema's text, and what a file hides behind it must not run here.
            try connection.prepare(copy).run()
        }
    }

    /// Rewrites `CREATE TRIGGER name … ON table …` as a TEMP trigger on `main.table`. The body stays: names in it resolve
    /// to the main schema, since the temporary one has no tables.
    package static func temporary(_ sql: String, name: String, table: String) -> String? {
        var scanner = SQLTokens(sql)
        guard scanner.keyword("CREATE") else { return nil }
        _ = scanner.keyword("TEMP") || scanner.keyword("TEMPORARY")
        guard scanner.keyword("TRIGGER") else { return nil }
        if scanner.keyword("IF") { _ = scanner.keyword("NOT") && scanner.keyword("EXISTS") }
        guard scanner.qualifiedName() else { return nil }
        let head = scanner.position
        // The first ON outside a column list is the one before the table's name.
        while !scanner.isAtEnd {
            let start = scanner.position
            if scanner.keyword("ON") {
                let between = sql[head..<start]
                guard scanner.qualifiedName() else { return nil }
                let rest = sql[scanner.position...]
                return
                    "CREATE TEMP TRIGGER \("MIRROR_\(name)".sqlIdentifier)\(between) ON main.\(table.sqlIdentifier)\(rest)"
            }
            scanner.skipToken()
        }
        return nil
    }
}
