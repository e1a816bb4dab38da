import SQLite
import StoreModel

/// One entity table on its way into the new store. A row can come several times: the first that SQLite finds counts.
final class SalvageTable {
    let root: EntityLayout
    let columns: [Column]
    private(set) var parts: [Int64: StoreSalvage.Part] = [:]
    /// The rows that are in the new store.
    private(set) var read: Int64 = 0
    /// Keys of rows that could be read, and are of no entity of the table or break a uniqueness constraint.
    private(set) var refused: Set<Int64> = []
    /// Keys of rows of another table, whose page has got into this one's place.
    private(set) var foreign: Set<Int64> = []
    /// Values that could not be read, or whose file is missing.
    var values: Int64 = 0
    /// What could not be read by key.
    var isComplete = true

    private let source: SalvageSource
    private let target: Store
    private let connection: Connection
    private let insert: Statement
    private let find: Statement
    private var highest = Int64.min
    private(set) var strayed: Int64 = 0
    private var differing: Set<Int64> = []

    /// A column: where it is in the damaged file, and where it goes.
    struct Column {
        let from: String
        let to: String
        let role: ColumnPurpose.Role
        let isExternal: Bool
    }

    init(_ root: EntityLayout, _ source: SalvageSource, _ target: Store, _ connection: Connection) throws {
        self.root = root
        self.source = source
        self.target = target
        self.connection = connection
        for (number, name) in zip(root.treeNumbers, root.treeNames) { parts[number] = .init(name: name) }
        columns = Self.columns(root.name, source, target)
        let names = (["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.to)).map(\.sqlIdentifier)
        let table = root.table.sqlIdentifier
        insert = try connection.prepare(
            "INSERT OR IGNORE INTO \(table) (\(names.joined(separator: ", "))) "
                + "VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))")
        find = try connection.prepare("SELECT \(names.joined(separator: ", ")) FROM \(table) WHERE Z_PK = ?")
    }

    private static func columns(_ root: String, _ source: SalvageSource, _ target: Store) -> [Column] {
        let old = ColumnPlan(root: root, model: source.model, numbers: source.catalogue.numbers)
        let new = ColumnPlan(root: root, model: target.model, numbers: target.catalogue.numbers)
        let there = ResolvedTable(old, real: source.tables[old.table]).column
        return new.columns.compactMap { column in
            guard let from = there[column.purpose] else { return nil }
            var isExternal = false
            if case .attribute(let leaf) = column.purpose.role {
                let attribute = target.model[column.purpose.entity]?.attributes
                    .first { $0.name == column.purpose.property }
                isExternal = attribute.map { ColumnPlan.leaves(of: $0)[leaf].allowsExternalBinaryDataStorage } ?? false
            }
            return Column(from: from, to: column.name, role: column.purpose.role, isExternal: isExternal)
        }
    }

    /// Takes a row, unless it is there.
    /// - Parameters:
    ///   - values: entity number and version, then the columns.
    ///   - isStray: whether SQLite does not come to it.
    /// - Returns: whether it is new.
    func take(_ key: Int64, _ values: [SQLValue], isStray: Bool = false) throws -> Bool {
        guard key > 0, let number = values[0].integerValue.flatMap({ self.number($0) }), parts[number] != nil else {
            guard !isStray else { return false }
            if source.catalogue.numbers.values.contains(values[0].integerValue ?? 0) {
                foreign.insert(key)
            } else {
                refused.insert(key)
            }
            return false
        }
        let version = max(1, values[1].integerValue ?? 1)
        var row: [SQLValue] = [.integer(key), .integer(number), .integer(version)]
        // Mostly rows come by key, and then none has come before.
        if key <= highest, let there = try self.row(key) {
            for (column, value) in zip(columns, values.dropFirst(2)) { row.append(plain(value, column)) }
            let isSame = zip(row.indices, zip(row, there)).allSatisfy { i, pair in
                (i >= 3 && columns[i - 3].isExternal) || Self.isSame(pair.0, pair.1)
            }
            if !isSame { differing.insert(key) }
            return false
        }
        for (column, value) in zip(columns, values.dropFirst(2)) { row.append(try self.value(value, column)) }
        insert.bind(row)
        try insert.run()
        guard connection.changes > 0 else {
            refused.insert(key)
            return false
        }
        highest = max(highest, key)
        parts[number]?.read += 1
        read += 1
        if isStray { strayed += 1 }
        refused.remove(key)
        return true
    }

    /// Sets how many rows are lost, of the table and of its entities, where something tells.
    func setLosses(_ counts: SalvageEvidence.Counts?) {
        let evidence = SalvageEvidence(source)
        guard let counts else {
            for number in parts.keys { parts[number]?.lost = nil }
            return
        }
        if parts.count == 1, let number = parts.keys.first {
            parts[number]?.lost = evidence.lost(
                of: counts.table ?? counts.entities[root.name], read: read)
            return
        }
        for (number, part) in parts {
            parts[number]?.lost = evidence.lost(of: counts.entities[part.name], read: part.read)
        }
    }

    /// Whether every row that a reader finds could be taken, and nothing could not be read.
    var isWhole: Bool { isComplete && refused.isEmpty && foreign.isEmpty }

    /// What a person should know of the table's rows.
    /// - Parameter foundStrays: whether the rows of other tables have come to these.
    func notes(foundStrays: Bool) -> [String] {
        func rows(_ count: Int64) -> String { "\(count) row\(count == 1 ? "" : "s") of \(root.table)" }
        var notes: [String] = []
        if strayed > 0 {
            notes.append("\(rows(strayed)) lie where no reader looks for them, and were found page by page")
        }
        if !differing.isEmpty {
            let keys = differing.sorted().prefix(10).map(String.init).joined(separator: ", ")
            notes.append(
                "\(rows(Int64(differing.count))) are in the file twice with different values (\(keys)"
                    + (differing.count > 10 ? ", …" : "") + "): the one that SQLite finds was kept")
        }
        if !foundStrays, !foreign.isEmpty {
            notes.append("\(rows(Int64(foreign.count))) could be read, and are another table's: left out")
        }
        if !refused.isEmpty {
            let verb = refused.count == 1 ? "is" : "are"
            notes.append(
                "\(rows(Int64(refused.count))) could be read, but \(verb) of no entity of it or break a uniqueness "
                    + "constraint: left out")
        }
        return notes
    }

    // MARK: Values

    private func row(_ key: Int64) throws -> [SQLValue]? {
        find.bind([.integer(key)])
        defer { find.reset() }
        return try find.step() ? find.row : nil
    }

    /// A record keeps a whole number in a column of fractions as an integer.
    private static func isSame(_ a: SQLValue, _ b: SQLValue) -> Bool {
        if a == b { return true }
        guard let a = a.doubleValue, let b = b.doubleValue else { return false }
        return a == b
    }

    /// An entity's number in the new store, by that in the damaged one.
    private func number(_ old: Int64) -> Int64? {
        source.catalogue.numbers.first { $0.value == old }.flatMap { target.catalogue.numbers[$0.key] }
    }

    private func plain(_ value: SQLValue, _ column: Column) -> SQLValue {
        guard column.role == .foreignEntity else { return value }
        return value.integerValue.flatMap { number($0) }.map { .integer($0) } ?? .null
    }

    private func value(_ value: SQLValue, _ column: Column) throws -> SQLValue {
        guard column.isExternal, case .blob(let bytes) = value, bytes.first == 2 else { return plain(value, column) }
        // A file that is gone, or a name that is none.
        guard let name = ExternalData.reference(in: bytes),
            try target.externalData.take(name, from: source.external)
        else {
            values += 1
            return .null
        }
        return value
    }
}
