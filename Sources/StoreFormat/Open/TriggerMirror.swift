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
        guard scanner.name() != nil else { return nil }
        let head = scanner.position
        // The first ON outside a column list is the one before the table's name.
        while !scanner.isAtEnd {
            let start = scanner.position
            if scanner.keyword("ON") {
                let between = sql[head..<start]
                guard scanner.name() != nil else { return nil }
                let rest = sql[scanner.position...]
                return
                    "CREATE TEMP TRIGGER \("MIRROR_\(name)".sqlIdentifier)\(between) ON main.\(table.sqlIdentifier)\(rest)"
            }
            scanner.skipToken()
        }
        return nil
    }
}

/// Just enough of SQL's tokens to take a trigger's head apart.
private struct SQLTokens {
    let text: String
    private(set) var position: String.Index

    init(_ text: String) {
        self.text = text
        position = text.startIndex
    }

    var isAtEnd: Bool { position == text.endIndex }

    private mutating func skipSpace() {
        while position < text.endIndex, text[position].isWhitespace { position = text.index(after: position) }
    }

    /// Moves past the keyword if it comes next.
    mutating func keyword(_ word: String) -> Bool {
        let before = position
        skipSpace()
        let start = position
        while position < text.endIndex, Self.isWord(text[position]) { position = text.index(after: position) }
        if text[start..<position].uppercased() == word { return true }
        position = before
        return false
    }

    /// Moves past a name, quoted or not.
    mutating func name() -> Substring? {
        skipSpace()
        let start = position
        skipToken()
        return start == position ? nil : text[start..<position]
    }

    mutating func skipToken() {
        skipSpace()
        guard position < text.endIndex else { return }
        let first = text[position]
        if let close = ["\"": "\"", "'": "'", "`": "`", "[": "]"][first] as Character? {
            position = text.index(after: position)
            while position < text.endIndex, text[position] != close { position = text.index(after: position) }
            if position < text.endIndex { position = text.index(after: position) }
        } else if Self.isWord(first) {
            while position < text.endIndex, Self.isWord(text[position]) { position = text.index(after: position) }
        } else {
            position = text.index(after: position)
        }
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "$"
    }
}
