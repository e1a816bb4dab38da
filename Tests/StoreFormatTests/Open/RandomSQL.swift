import SQLite
import TestKit

/// Inserts, updates and deletes on a store's tables as plain SQL, the same ones for the same seed.
///
/// Values are taken from few, so that keys lead somewhere, and triggers with conditions fire and do not.
struct RandomSQL {
    private var random: SplitMix
    private var tables: [(name: String, columns: [Column], entities: [Int64], keys: [Int64])] = []

    private struct Column {
        let name: String
        let type: String
    }

    /// Looks at the tables of objects that have triggers, or that triggers name.
    init(_ connection: Connection, seed: UInt64) throws {
        random = SplitMix(seed: seed)
        let names = try connection.query(
            """
            SELECT name FROM sqlite_master m WHERE type = 'table' AND name GLOB 'Z*' AND name NOT GLOB 'Z_*' AND EXISTS (
                SELECT 1 FROM sqlite_master t WHERE t.type = 'trigger'
                    AND (t.tbl_name = m.name OR t.sql LIKE '%' || m.name || '%'))
            ORDER BY name
            """
        ).compactMap { $0[0].textValue }
        for name in names {
            let columns = try connection.query("SELECT name, type FROM pragma_table_info(?)", [.text(name)])
                .map { Column(name: $0[0].textValue ?? "", type: $0[1].textValue ?? "") }
                .filter { !["Z_PK", "Z_ENT"].contains($0.name) }
            let table = name.sqlIdentifier
            func numbers(_ sql: String) throws -> [Int64] {
                try connection.query(sql).compactMap { $0[0].integerValue }
            }
            let entities = try numbers("SELECT DISTINCT Z_ENT FROM \(table) ORDER BY 1")
            tables.append(
                (name, columns, entities, try numbers("SELECT Z_PK FROM \(table) ORDER BY Z_PK LIMIT 40")))
        }
    }

    /// The tables that the statements write.
    var names: [String] { tables.map(\.name) }

    /// The next statement.
    mutating func next() -> String {
        let index = Int.random(in: tables.indices, using: &random)
        let table = tables[index].name.sqlIdentifier
        let known = tables[index].keys
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4 where known.count < 80, 0..<10 where known.isEmpty:
            let key = (known.last ?? 0) + 1
            tables[index].keys.append(key)
            let columns = some(tables[index].columns)
            let entity = tables[index].entities.randomElement(using: &random) ?? Int64(index + 1)
            let values = columns.map { value($0, 10) }
            return
                "INSERT INTO \(table) (\((["Z_PK", "Z_ENT"] + columns.map(\.name.sqlIdentifier)).joined(separator: ", "))) "
                + "VALUES (\((["\(key)", "\(entity)"] + values).joined(separator: ", ")))"
        case 4 where known.count > 3:
            let key = known.randomElement(using: &random) ?? 0
            tables[index].keys.removeAll { $0 == key }
            return "DELETE FROM \(table) WHERE Z_PK = \(key)"
        default:
            let assignments = some(tables[index].columns).map { "\($0.name.sqlIdentifier) = \(value($0, 10))" }
            let few = known.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
            return "UPDATE \(table) SET \(assignments.joined(separator: ", ")) WHERE Z_PK IN "
                + "(\(few.map(String.init).joined(separator: ", ")))"
        }
    }

    private mutating func some(_ columns: [Column]) -> [Column] {
        Array(columns.shuffled(using: &random).prefix(Int.random(in: 1...min(6, columns.count), using: &random)))
    }

    private mutating func value(_ column: Column, _ range: Int64) -> String {
        if Int.random(in: 0..<4, using: &random) == 0 { return "NULL" }
        let number = Int64.random(in: 0...range, using: &random)
        switch column.type {
        case "INTEGER":
            // Of the keys that are there, or a small number.
            let keys = tables.randomElement(using: &random)?.keys ?? []
            return Bool.random(using: &random) ? "\(keys.randomElement(using: &random) ?? number)" : "\(number)"
        case "FLOAT", "TIMESTAMP", "DECIMAL": return "\(number).5"
        case "BLOB": return "x'0\(number % 10)'"
        default: return "'text \(number)'"
        }
    }
}
