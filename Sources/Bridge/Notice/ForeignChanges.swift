import SQLite
import StoreFormat

/// What the guard's recording triggers noted: the tables that others wrote.
enum ForeignChanges {
    /// Drops the notes. To be run inside a write transaction.
    static func drop(_ connection: Connection) throws {
        if try areNoted(connection) { try connection.run("DELETE FROM COEXIST_FOREIGN") }
    }

    /// What was noted of rows that no history tells of: how many, by table.
    struct Notes: Sendable, Hashable {
        var rows: [String: Int]

        var text: String {
            let tables = rows.sorted { $0.key < $1.key }.map { "\($0) (\($1) row\($1 == 1 ? "" : "s"))" }
            return "while no daemon ran, another program wrote rows that no history tells of: "
                + tables.joined(separator: ", ")
        }
    }

    /// The notes of a time when no daemon took them, without what history tells of: a program that keeps history leaves notes
    /// of its change rows as well.
    /// - Returns: nil where there is nothing to tell of.
    static func untold(_ connection: Connection, store: Store) throws -> Notes? {
        guard try areNoted(connection) else { return nil }
        let tables = Set(store.layout.entities.map(\.table))
        let told = try HistoryTables.exist(connection) ? told(connection, store) : []
        let isTold = !told.isEmpty
        var rows: [String: Int] = [:]
        let sql = "SELECT DISTINCT TABLE_NAME, ROW_KEY FROM COEXIST_FOREIGN"
        for row in try connection.query(sql) {
            guard let table = row[0].textValue else { continue }
            // Pairs and the catalogue have no rows in history: they came with what it tells, if it tells anything.
            let isKnown =
                tables.contains(table)
                ? row[1].integerValue.map { told.contains(Row(table: table, key: $0)) } ?? false
                : isTold || bookkeeping.contains(table)
            if !isKnown { rows[table, default: 0] += 1 }
        }
        return rows.isEmpty ? nil : Notes(rows: rows)
    }

    private struct Row: Hashable {
        var table: String
        var key: Int64
    }

    /// What a program writes beside the rows that it means to write.
    private static let bookkeeping: Set<String> = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING", "Z_PRIMARYKEY"]

    /// The rows that noted change rows of history name.
    private static func told(_ connection: Connection, _ store: Store) throws -> Set<Row> {
        let rows = try connection.query(
            """
            SELECT ZENTITY, ZENTITYPK FROM ACHANGE
            WHERE Z_PK IN (SELECT ROW_KEY FROM COEXIST_FOREIGN WHERE TABLE_NAME = 'ACHANGE')
            """)
        return Set(
            rows.compactMap { row in
                guard let table = row[0].integerValue.flatMap({ store.layout[number: $0]?.table }),
                    let key = row[1].integerValue
                else { return nil }
                return Row(table: table, key: key)
            })
    }

    /// Whether there are notes.
    static func areNoted(_ connection: Connection) throws -> Bool {
        let sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'COEXIST_FOREIGN'"
        guard try connection.scalar(sql) != nil else { return false }
        return try connection.scalar("SELECT 1 FROM COEXIST_FOREIGN LIMIT 1") != nil
    }

    /// Takes the notes, and empties them.
    /// - Returns: for each table that was written, the entities whose objects that can have changed; nil without notes.
    static func take(_ connection: Connection, store: Store) throws -> [Set<String>]? {
        try connection.transaction(.immediate) {
            let tables = try connection.query("SELECT DISTINCT TABLE_NAME FROM COEXIST_FOREIGN").compactMap {
                $0[0].textValue
            }
            guard !tables.isEmpty else { return nil }
            try connection.run("DELETE FROM COEXIST_FOREIGN")
            try CoexistenceState.countCommit(connection)
            return tables.map { entities(of: $0, store) }.filter { !$0.isEmpty }
        }
    }

    private static func entities(of table: String, _ store: Store) -> Set<String> {
        let entities = store.layout.entities.filter { entity in
            entity.table == table
                || entity.relationships.contains { relationship in
                    if case .manyToMany(let join) = relationship.storage { return join.table == table }
                    return false
                }
        }
        return Set(entities.map(\.name))
    }
}
