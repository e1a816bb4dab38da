import SQLite
import StoreModel

/// One join table on its way into the new store.
final class SalvageJoin {
    /// The table in the damaged file.
    let table: String
    /// The columns there, in the order of `take`.
    let columns: [String]
    var part: StoreSalvage.Part
    var isComplete = true
    /// Rows whose objects are lost.
    private(set) var broken: Set<Int64> = []
    private var strayed: Int64 = 0
    /// Pairs that may be of this table, or of another one that looks the same.
    private var ambiguous: Int64 = 0

    private let connection: Connection
    private let insert: Statement
    private let find: Statement

    init(
        _ old: RelationshipLayout.JoinTable, _ new: RelationshipLayout.JoinTable, _ entity: EntityLayout,
        _ destination: EntityLayout, _ connection: Connection
    ) throws {
        let pairs =
            [(old.ownColumn, new.ownColumn), (old.otherColumn, new.otherColumn)]
            + [(old.orderColumn, new.orderColumn), (old.inverseOrderColumn, new.inverseOrderColumn)].compactMap {
                a, b in
                a.flatMap { a in b.map { (a, $0) } }
            }
        table = old.table
        columns = pairs.map(\.0)
        part = .init(name: new.table)
        self.connection = connection
        let names = pairs.map(\.1.sqlIdentifier).joined(separator: ", ")
        let marks = pairs.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        insert = try connection.prepare(
            """
            INSERT OR IGNORE INTO \(new.table.sqlIdentifier) (\(names)) SELECT \(marks)
            WHERE EXISTS (SELECT 1 FROM \(entity.table.sqlIdentifier) WHERE Z_PK = ?1)
                AND EXISTS (SELECT 1 FROM \(destination.table.sqlIdentifier) WHERE Z_PK = ?2)
            """)
        find = try connection.prepare(
            """
            SELECT 1 FROM \(new.table.sqlIdentifier)
            WHERE \(new.ownColumn.sqlIdentifier) = ? AND \(new.otherColumn.sqlIdentifier) = ?
            """)
    }

    /// Leaves out a pair that may be of another table.
    func leaveOut() {
        ambiguous += 1
        isComplete = false
    }

    /// What a person should know of the table's pairs.
    var notes: [String] {
        func pairs(_ count: Int64) -> String { "\(count) pair\(count == 1 ? "" : "s") of \(table)" }
        var notes: [String] = []
        if strayed > 0 {
            notes.append("\(pairs(strayed)) lie where no reader looks for them, and were found page by page")
        }
        if ambiguous > 0 {
            notes.append("\(pairs(ambiguous)), or of another join table, lie in a place of neither: left out")
        }
        return notes
    }

    /// Takes a pair, unless it is there.
    /// - Returns: whether it is new.
    func take(_ key: Int64, _ values: [SQLValue], isStray: Bool = false) throws -> Bool {
        insert.bind(values)
        try insert.run()
        if connection.changes > 0 {
            part.read += 1
            if isStray { strayed += 1 }
            return true
        }
        // A row without a pair of keys is none of this table, but of another one whose page has got into its place.
        guard values[0].integerValue != nil, values[1].integerValue != nil else {
            isComplete = false
            return false
        }
        guard !isStray else { return false }
        find.bind(Array(values.prefix(2)))
        defer { find.reset() }
        if try !find.step() { broken.insert(key) }
        return false
    }
}
