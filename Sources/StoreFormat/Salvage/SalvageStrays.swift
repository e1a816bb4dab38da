import SQLite
import StoreModel

/// Gives rows that were found page by page to the tables that they are of: an object's row by the entity number in it,
/// wherever its page is; a pair of keys by the tree of its page.
struct SalvageStrays {
    private let source: SalvageSource
    private let rows: StrayRows
    /// The real tables' columns, with the class of each.
    private let types: [String: [String]]

    init?(_ source: SalvageSource) throws {
        guard let rows = try source.strayRows() else { return nil }
        self.source = source
        self.rows = rows
        var types: [String: [String]] = [:]
        for table in source.tables.names {
            types[table] = try source.connection.query("SELECT type FROM pragma_table_info(?)", [.text(table)])
                .map { ($0[0].textValue ?? "").uppercased() }
        }
        self.types = types
    }

    /// - Parameter took: called for each row that is new.
    func objects(_ tables: [SalvageTable], _ took: () throws -> Void) throws {
        var byNumber: [Int64: (table: SalvageTable, name: String, places: [Int])] = [:]
        var names: Set<String> = []
        for table in tables {
            let name = ColumnPlan.tableName(table.root.name)
            guard let columns = source.tables[name], columns.first == "Z_PK" else { continue }
            names.insert(name)
            let wanted = ["Z_ENT", "Z_OPT"] + table.columns.map(\.from)
            let places = wanted.compactMap { columns.firstIndex(of: $0) }
            guard places.count == wanted.count else { continue }
            for entity in source.model.tree(of: table.root.name) {
                guard let number = source.catalogue.numbers[entity.name] else { continue }
                byNumber[number] = (table, name, places)
            }
        }
        try rows.forEach { home, row in
            guard row.lost == 0, row.values.count >= 3, row.values[0].isNull, let number = row.values[1].integerValue,
                let (table, name, places) = byNumber[number], fits(row.values, name)
            else { return }
            // What fits the table that its page is in is that one's, unless it is a table of objects too.
            guard home == name || names.contains(home) || row.values.count != types[home]?.count else { return }
            let values = places.map { $0 < row.values.count ? row.values[$0] : .null }
            if try table.take(row.key, values, isStray: true) { try took() }
        }
    }

    /// - Parameter took: called for each pair that is new.
    func pairs(_ joins: [SalvageJoin], _ took: () throws -> Void) throws {
        try rows.forEach { home, row in
            guard row.lost == 0, row.values.count >= 2 else { return }
            let own = joins.filter { $0.table == home && types[home]?.count == row.values.count }
            // An object's row has no key in it. One with keys, in the place of another table's, is of a join table.
            let isStranger = !row.values[0].isNull && row.values.count != types[home]?.count
            let candidates = own.isEmpty && isStranger ? joins : own
            let fitting = candidates.filter { types[$0.table]?.count == row.values.count && fits(row.values, $0.table) }
            guard fitting.count == 1, let join = fitting.first else { return fitting.forEach { $0.leaveOut() } }
            let places = join.columns.compactMap { source.tables[join.table]?.firstIndex(of: $0) }
            guard places.count == join.columns.count else { return }
            if try join.take(row.key, places.map { row.values[$0] }, isStray: true) { try took() }
        }
    }

    /// Whether a record can be one of the table: no more values than columns, each of a class that its column keeps.
    private func fits(_ values: [SQLValue], _ table: String) -> Bool {
        guard let types = types[table], values.count <= types.count else { return false }
        return zip(values, types).allSatisfy { value, type in
            switch value {
            case .null: true
            case .integer: ["INTEGER", "FLOAT", "TIMESTAMP", "DECIMAL", "BLOB"].contains(type)
            case .real: type != "VARCHAR"
            // What another program wrote can be of any class, and is then as it is.
            case .text: type != "INTEGER"
            case .blob: type != "INTEGER" && type != "FLOAT"
            }
        }
    }
}
