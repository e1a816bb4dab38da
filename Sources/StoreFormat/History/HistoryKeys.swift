import SQLite

/// The keys that history tells of. An object that was deleted is in no table any more, but its key was handed out, and must
/// not be again: who follows history would take the new object for the old one.
enum HistoryKeys {
    /// The highest key of each of these trees of entities, by their numbers; 0 for one that history does not mention.
    /// - Parameter table: `ACHANGE`, by the name that it has on the connection.
    static func highest(of trees: [[Int64]], _ connection: Connection, table: String = "ACHANGE") throws -> [Int64] {
        // The last numbers of all were never handed out (`FileCounter`): whoever wrote them did not count.
        let isKey = "typeof(ZENTITYPK) = 'integer' AND ZENTITYPK < \(Int64.max - 1)"
        var result: [Int64] = []
        // SQLite's limit is 2,000 columns a query.
        for some in stride(from: 0, to: trees.count, by: 500).map({ trees[$0..<min($0 + 500, trees.count)] }) {
            let list = some.map { "max(CASE WHEN ZENTITY IN \($0.sqlList) THEN ZENTITYPK END)" }
            let row = try connection.query(
                "SELECT \(list.joined(separator: ", ")) FROM \(table) WHERE \(isKey)"
            ).first
            result += some.indices.map { row?[$0 - some.startIndex].integerValue ?? 0 }
        }
        return result
    }

    /// Whether a table is one of changes, as far as keys go.
    static func areIn(_ columns: [String]?) -> Bool {
        columns.map { $0.contains("ZENTITY") && $0.contains("ZENTITYPK") } ?? false
    }
}
