import SQLite

/// What a store's own triggers write beside what a save writes: derived attributes, Photos' counters, an application's
/// own. Neither history nor a row's version tells of it.
public struct TriggerWrites: Sendable {
    /// Written columns by table, lower-cased, as SQLite compares names.
    private var columns: [String: Set<String>] = [:]
    /// The tables that a change of a table reaches, through however many triggers.
    private var reached: [String: Set<String>] = [:]

    init(_ connection: Connection) throws {
        let triggers = try connection.query(
            """
            SELECT tbl_name, sql FROM sqlite_master
            WHERE type = 'trigger' AND name NOT LIKE 'COEXIST\\_%' ESCAPE '\\' AND sql IS NOT NULL
            """)
        for row in triggers {
            guard let table = row[0].textValue?.lowercased(), let sql = row[1].textValue else { continue }
            for write in Self.writes(sql) {
                columns[write.table, default: []].formUnion(write.columns)
                reached[table, default: []].insert(write.table)
            }
        }
        for table in reached.keys { reached[table] = closure(table) }
    }

    private func closure(_ table: String) -> Set<String> {
        var found: Set<String> = []
        var next = Array(reached[table] ?? [])
        while let table = next.popLast() {
            if found.insert(table).inserted { next += reached[table] ?? [] }
        }
        return found
    }

    /// Whether some trigger writes the column.
    public func isWritten(_ column: String, of table: String) -> Bool {
        columns[table.lowercased()]?.contains(column.lowercased()) ?? false
    }

    /// Whether some trigger writes the table.
    public func isWritten(_ table: String) -> Bool { columns[table.lowercased()] != nil }

    /// The tables that triggers may write after a change of this one.
    public func isReached(_ table: String, from changed: String) -> Bool {
        reached[changed.lowercased()]?.contains(table.lowercased()) ?? false
    }

    private struct Write {
        let table: String
        var columns: Set<String> = []
    }

    /// The tables that a trigger's body updates, with the columns that it sets, and those that it inserts into or deletes
    /// from.
    private static func writes(_ sql: String) -> [Write] {
        var tokens = SQLTokens(sql)
        while !tokens.isAtEnd, !tokens.keyword("BEGIN") { tokens.skipToken() }
        var writes: [Write] = []
        while !tokens.isAtEnd {
            if tokens.keyword("UPDATE") {
                if tokens.keyword("OR") { tokens.skipToken() }
                guard let table = tokens.name() else { continue }
                var write = Write(table: plain(table))
                if tokens.keyword("SET") { write.columns = assignments(&tokens) }
                writes.append(write)
            } else if tokens.keyword("INTO") || tokens.keyword("FROM") {
                // A SELECT's FROM is no write, but to read a table anew once too often does no harm.
                if let table = tokens.name() { writes.append(Write(table: plain(table))) }
            } else {
                tokens.skipToken()
            }
        }
        return writes
    }

    /// The names before `=` up to the statement's end or its WHERE, brackets passed over.
    private static func assignments(_ tokens: inout SQLTokens) -> Set<String> {
        var names: Set<String> = []
        var depth = 0
        var isExpected = true
        while !tokens.isAtEnd, !(depth == 0 && (tokens.keyword("WHERE") || tokens.keyword("FROM"))),
            let token = tokens.name(), token != ";"
        {
            switch token {
            case "(": depth += 1
            case ")": depth -= 1
            case ",": if depth == 0 { isExpected = true }
            default:
                // `(a, b) = (…)` sets several.
                if isExpected, depth <= 1 { names.insert(plain(token)) }
                if depth == 0 { isExpected = false }
            }
        }
        return names
    }

    private static func plain(_ name: Substring) -> String {
        guard let first = name.first, "\"'`[".contains(first), name.count > 1 else { return name.lowercased() }
        return name.dropFirst().dropLast().lowercased()
    }
}
