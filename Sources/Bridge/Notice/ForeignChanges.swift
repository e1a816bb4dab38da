import SQLite
import StoreFormat

/// What the guard's recording triggers noted: the tables that others wrote.
enum ForeignChanges {
    /// Drops notes from a time when nobody took them: what they are about is in no cache yet. To be run inside a write
    /// transaction.
    static func drop(_ connection: Connection) throws {
        if try areNoted(connection) { try connection.run("DELETE FROM COEXIST_FOREIGN") }
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
