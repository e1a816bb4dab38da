import SQLite
import StoreFormat

/// What the guard's recording triggers noted: the tables that others wrote.
enum ForeignChanges {
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
