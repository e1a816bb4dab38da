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
    /// - Returns: the entities whose objects a noted write can have changed; nil if that cannot be told.
    static func take(_ connection: Connection, store: Store) throws -> Set<String>? {
        try connection.transaction(.immediate) {
            let tables = Set(
                try connection.query("SELECT DISTINCT TABLE_NAME FROM COEXIST_FOREIGN").compactMap { $0[0].textValue })
            guard !tables.isEmpty else { return nil }
            try connection.run("DELETE FROM COEXIST_FOREIGN")
            try CoexistenceState.countCommit(connection)
            var entities: Set<String> = []
            for entity in store.layout.entities {
                let joins = entity.relationships.compactMap { relationship -> String? in
                    if case .manyToMany(let join) = relationship.storage { return join.table }
                    return nil
                }
                if tables.contains(entity.table) || !tables.isDisjoint(with: joins) { entities.insert(entity.name) }
            }
            return entities
        }
    }
}
