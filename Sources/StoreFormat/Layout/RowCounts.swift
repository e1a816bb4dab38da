import SQLite

/// How many objects each entity has.
public enum RowCounts {
    /// Objects of exactly each entity, by its number.
    public static func read(_ connection: Connection, store: Store) throws -> [Int64: Int64] {
        var counts: [Int64: Int64] = [:]
        for table in Set(store.layout.entities.map(\.table)) {
            for row in try connection.query("SELECT Z_ENT, count(*) FROM \(table.sqlIdentifier) GROUP BY Z_ENT") {
                if let number = row[0].integerValue, let count = row[1].integerValue { counts[number] = count }
            }
        }
        return counts
    }
}
