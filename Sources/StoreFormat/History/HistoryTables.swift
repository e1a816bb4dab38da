import SQLite

/// The history tables as Core Data makes them (Format, section 8.1).
public enum HistoryTables {
    /// Whether the store has history: asked of the file each time, since another process may make or remove it.
    public static func exist(_ connection: Connection) throws -> Bool {
        try connection.scalar("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'ATRANSACTION'") != nil
    }

    /// Those that are gone. All of the tables are there, or none; an adopted store has them. The first form has no table of
    /// strings.
    static func missing(_ tables: TableColumns) -> [String] {
        var names = ["ACHANGE", "ATRANSACTION"]
        if tables["ATRANSACTION"]?.contains("ZAUTHORTS") ?? true { names.append("ATRANSACTIONSTRING") }
        let missing = names.filter { tables[$0] == nil }
        return missing.count < names.count || tables["COEXIST_STATE"] != nil ? missing : []
    }

    /// Makes the tables in a store that never was tracked. To be run inside a write transaction.
    /// - Parameter tombstones: the largest number of attributes that one entity preserves on deletion.
    public static func create(_ connection: Connection, tombstones: Int) throws {
        for sql in statements(tombstones: tombstones) { try connection.execute(sql) }
    }

    /// Removes the tables and their rows in the catalogue.
    public static func drop(_ connection: Connection) throws {
        for table in ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"] {
            try connection.execute("DROP TABLE IF EXISTS \(table)")
        }
        try connection.run(
            "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN ? AND ?",
            [.integer(Catalogue.changeNumber), .integer(Catalogue.transactionStringNumber)])
    }

    /// The highest number of a transaction that the catalogue says was handed out, whether there is a history or not.
    public static func lastNumber(_ connection: Connection) throws -> Int64 {
        let sql = "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?"
        return try connection.scalar(sql, [.integer(Catalogue.transactionNumber)])?.integerValue ?? 0
    }

    /// Removes what is left of a history of which a table is gone: it can be neither read nor continued. The counters stay, so
    /// that no number is handed out twice. To be run in a store that is not adopted any more.
    public static func dropRemains(_ connection: Connection) throws {
        guard try !missing(TableColumns(connection)).isEmpty else { return }
        for table in ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"] {
            try connection.execute("DROP TABLE IF EXISTS \(table)")
        }
    }

    static func statements(tombstones: Int) -> [String] {
        let extra = (0..<tombstones).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
        return [
            "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, "
                + "ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(extra) )",
            "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, "
                + "ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, "
                + "ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
            "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
        ] + indexes.map(\.statement)
    }

    /// The indexes of the tables.
    static let indexes: [IndexPlan] =
        [key("ACHANGE", "ZTRANSACTIONID")]
        + ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"].map { key("ATRANSACTION", $0) } + [
            IndexPlan(
                kind: .fetch, name: "Z_TRANSACTION_TransactionAuthorIndex", table: "ATRANSACTION",
                columns: [ascending("ZAUTHOR")], place: place),
            IndexPlan(
                kind: .fetch, name: "Z_TRANSACTION_TransactionTimestampIndex", table: "ATRANSACTION",
                columns: [ascending("ZTIMESTAMP")], place: place),
            IndexPlan(
                kind: .unique, name: "Z_TRANSACTIONSTRING_UNIQUE_NAME", table: "ATRANSACTIONSTRING",
                columns: [ascending("ZNAME")], place: place),
        ]

    private static let place = "an index of the history tables"
    /// The columns of `ACHANGE` beside the tombstones.
    static let changeColumns = 8

    private static func key(_ table: String, _ column: String) -> IndexPlan {
        IndexPlan(
            kind: .key, name: "\(table)_\(column)_INDEX", table: table, columns: [.init(name: column)], place: place)
    }

    private static func ascending(_ column: String) -> IndexPlan.Column {
        .init(name: column, suffix: " COLLATE BINARY ASC")
    }
}
