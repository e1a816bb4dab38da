import SQLite

/// The compiled statements that write one entity's rows.
final class RowStatements {
    private let connection: Connection
    private let entity: EntityLayout
    private var made: [String: Statement] = [:]

    init(_ connection: Connection, _ entity: EntityLayout) {
        self.connection = connection
        self.entity = entity
    }

    private lazy var insertSQL: String = {
        let names = (["Z_PK", "Z_ENT", "Z_OPT"] + entity.columns).map(\.sqlIdentifier).joined(separator: ", ")
        let marks = entity.columns.map { _ in ", ?" }.joined()
        return "INSERT INTO \(entity.table.sqlIdentifier) (\(names)) VALUES (?, ?, 1\(marks))"
    }()

    private var insertStatement: Statement?
    private var lastUpdate: (columns: [Int], checksVersion: Bool, statement: Statement)?

    /// Parameters: key, entity number, then the columns in their order.
    var insert: Statement {
        get throws {
            if let insertStatement { return insertStatement }
            let statement = try connection.cached(insertSQL)
            insertStatement = statement
            return statement
        }
    }

    /// SQLite goes on with a real number where the integers end.
    private static let hasNextVersion =
        " AND NOT (typeof(Z_OPT) IN ('integer', 'real') AND Z_OPT >= \(Int64.max - 1))"

    /// Parameters: the columns, key, entity number, and the version where it is checked. Where it is not, a row whose versions
    /// have run out is left alone.
    func update(_ columns: [Int], checksVersion: Bool) throws -> Statement {
        if let last = lastUpdate, last.columns == columns, last.checksVersion == checksVersion { return last.statement }
        let sets = columns.map { "\(entity.columns[$0].sqlIdentifier) = ?, " }.joined()
        let statement = try connection.cached(
            "UPDATE \(entity.table.sqlIdentifier) SET \(sets)Z_OPT = ifnull(Z_OPT, 0) + 1 WHERE Z_PK = ? AND Z_ENT = ?"
                + (checksVersion ? " AND Z_OPT = ?" : Self.hasNextVersion))
        lastUpdate = (columns, checksVersion, statement)
        return statement
    }

    /// Parameters: key, entity number, and the version where it is checked.
    func delete(checksVersion: Bool) throws -> Statement {
        try connection.cached(
            "DELETE FROM \(entity.table.sqlIdentifier) WHERE Z_PK = ? AND Z_ENT = ?"
                + (checksVersion ? " AND Z_OPT = ?" : ""))
    }
}
