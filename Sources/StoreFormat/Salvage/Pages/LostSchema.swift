import Foundation
import SQLite
import StoreModel

/// A database of the tables that can still be found in a file whose own list of tables is lost.
///
/// A tree whose entry in the list survives is what the entry says. Another one is taken for the table of an entity if its
/// rows have that entity's number, and for a join table if only one fits; then its columns are taken to be in the order
/// in which a new table would have them, provided that each row has as many and each value is of its column's class.
/// What does not fit so is left out, and said.
struct LostSchema {
    let connection: Connection
    let model: ModelDescription
    /// What the person should know.
    private(set) var notes: [String] = []
    /// Tables of which rows may be lost that nothing tells of.
    private(set) var doubtful: Set<String> = []

    private let trees: PageTrees
    private var free: [PageTrees.Tree]
    private var isEmpty = true

    /// - Parameters:
    ///   - copy: a copy of the file that nobody has open, its log moved into it.
    ///   - path: the database to make.
    /// - Throws: `StoreError` `ModelMissing` where no model is given and none can be found, `Damaged` where nothing is;
    ///   `NotADatabase` or another of the probe's codes where no page is one of a database.
    init(_ copy: String, original: String, to path: String, model given: ModelDescription?) throws {
        let pages = try DatabasePages(copy)
        trees = PageTrees(pages)
        // A store whose first page is lost has others with rows: what has neither never was one.
        if !pages.isHeaderSound, trees.trees.isEmpty { try StoreProbe.check(original) }
        free = trees.trees
        let entries = Self.entries(trees)
        connection = try Connection(path: path, mode: .createPrivate, originalPath: original)
        try connection.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN")
        model = try given ?? Self.model(trees, original)
        try bookkeeping()
        let catalogue = try Catalogue.read(connection, model: model)
        let numbers = catalogue.missing.isEmpty ? catalogue.numbers : SchemaPlan(model).numbers
        let plan = SchemaPlan(model, numbers: numbers)
        for root in plan.roots {
            guard let columns = plan.plans[root.name] else { continue }
            let tree = Set(model.tree(of: root.name).compactMap { numbers[$0.name] })
            try entity(columns, tree, entries)
        }
        for join in plan.joinTables { try self.join(join, plan, entries) }
        try connection.execute("COMMIT")
        guard !isEmpty else {
            throw StoreError(
                .damaged, "nothing of a store can be found in \(original): neither a list of tables nor a page of rows",
                way: "restore a backup")
        }
        notes.insert(
            "the list of tables cannot be read: rows were looked for page by page, and history, indexes and triggers were "
                + "not", at: 0)
    }

    // MARK: What survives of the list

    private struct Entry {
        let name: String
        let root: Int
        let sql: String
    }

    private static func entries(_ trees: PageTrees) -> [Entry] {
        trees.schemaLeaves.flatMap { page in TableNode(page, in: trees.pages)?.rows ?? [] }.compactMap { row in
            guard row.values.count == 5, row.lost == 0, row.values[0].textValue == "table",
                let name = row.values[1].textValue, let root = row.values[3].integerValue,
                let sql = row.values[4].textValue
            else { return nil }
            return Entry(name: name, root: Int(clamping: root), sql: sql)
        }
    }

    // MARK: The store's own tables

    private static func model(_ trees: PageTrees, _ path: String) throws -> ModelDescription {
        for tree in trees.trees {
            let rows = trees.sample(of: tree)
            guard rows.count == 1, rows[0].values.count == 1, let bytes = rows[0].values[0].blobValue,
                let model = try? ModelCache.decode(Data(bytes))
            else { continue }
            return model
        }
        throw StoreError(
            .modelMissing, "the list of tables of \(path) cannot be read, nor can a model be found in it",
            way: "give the model it was made with: --model FILE.mom, .momd or .xcdatamodeld; or restore a backup")
    }

    /// Makes the tables that every store has, and fills them where their rows are found.
    private mutating func bookkeeping() throws {
        for sql in SchemaPlan(model).bookkeepingTables { try connection.executeOne(sql) }
        let names = Set(model.entities.map(\.name))
        try take("Z_PRIMARYKEY", ["INTEGER", "VARCHAR", "INTEGER", "INTEGER"]) { rows in
            rows.contains { names.contains($0.values[1].textValue ?? "") }
        }
        try take("Z_METADATA", ["INTEGER", "VARCHAR", "BLOB"]) { rows in
            rows.contains { UUID(uuidString: $0.values[1].textValue ?? "") != nil && $0.values[2].blobValue != nil }
        }
    }

    private mutating func take(_ table: String, _ types: [String], _ isIt: ([TableNode.Row]) -> Bool) throws {
        for tree in free {
            let rows = trees.sample(of: tree)
            guard !rows.isEmpty, rows.allSatisfy({ Self.fits($0, types) }), isIt(rows) else { continue }
            try fill(table, types.count, from: tree)
        }
    }

    // MARK: Entities

    private mutating func entity(_ plan: ColumnPlan, _ numbers: Set<Int64>, _ entries: [Entry]) throws {
        if let entry = entries.first(where: { $0.name == plan.table }), let columns = try make(entry) {
            if let tree = free.first(where: { $0.root == entry.root }) {
                try fill(plan.table, columns, from: tree)
            } else if trees.strays > 0 {
                doubtful.insert(plan.table)
            }
            return
        }
        let own = free.filter { tree in
            trees.sample(of: tree).contains { row in
                row.values.count > 2 && row.values[0].isNull && row.values[2].integerValue != nil
                    && row.values[1].integerValue.map { numbers.contains($0) } ?? false
            }
        }
        let types = ["INTEGER", "INTEGER", "INTEGER"] + plan.columns.map(\.declaredType)
        try make(plan.table, ["Z_PK", "Z_ENT", "Z_OPT"] + plan.columns.map(\.name), types)
        let counted = own.map { (tree: $0, rows: count($0, types)) }
        let fitting = counted.filter { $0.rows.misfits == 0 }
        // Without the map of pages a table's tree can be in several parts.
        if fitting.count == 1 || !trees.pages.hasPointerMap, !fitting.isEmpty {
            for (tree, rows) in fitting { try guess(plan.table, types.count, tree, rows.all) }
            return
        }
        for (_, rows) in fitting.isEmpty ? counted : fitting {
            let what =
                fitting.isEmpty
                ? "\(rows.misfits) of them do not fit the model's columns in the order of a new table, and nothing tells the "
                    + "right one" : "there are others that look so too"
            notes.append("\(rows.all) rows that look like those of \(plan.table) were left out: \(what)")
        }
        if !own.isEmpty || trees.strays > 0 { doubtful.insert(plan.table) }
    }

    private func count(_ tree: PageTrees.Tree, _ types: [String]) -> (all: Int, misfits: Int) {
        var (all, misfits) = (0, 0)
        trees.forEachRow(of: tree) { row in
            all += 1
            if !Self.fits(row, types) { misfits += 1 }
        }
        return (all, misfits)
    }

    private mutating func guess(_ table: String, _ columns: Int, _ tree: PageTrees.Tree, _ count: Int) throws {
        notes.append("guessed: \(count) row\(count == 1 ? "" : "s") of \(table), columns in the order of a new table")
        try fill(table, columns, from: tree)
    }

    // MARK: Join tables

    private mutating func join(_ plan: SchemaPlan.JoinPlan, _ schema: SchemaPlan, _ entries: [Entry]) throws {
        if let entry = entries.first(where: { $0.name == plan.table }), let columns = try make(entry) {
            if let tree = free.first(where: { $0.root == entry.root }) {
                try fill(plan.table, columns, from: tree)
            } else if trees.strays > 0 {
                doubtful.insert(plan.table)
            }
            return
        }
        let names = plan.columns + plan.orderColumns
        let types = names.map { _ in "INTEGER" }
        try make(plan.table, names, types)
        let alike = schema.joinTables.filter { other in
            other.columns.count + other.orderColumns.count == names.count
                && !entries.contains { $0.name == other.table }
        }
        let candidates = free.filter { tree in
            let rows = trees.sample(of: tree)
            // Other tables have small numbers too, and NULL for their own key.
            return !rows.isEmpty
                && rows.allSatisfy { Self.fits($0, types) && !$0.values[0].isNull && !$0.values[1].isNull }
        }
        guard alike.count == 1, candidates.count == 1, let tree = candidates.first else {
            if !candidates.isEmpty {
                notes.append(
                    "the pairs of \(plan.table) were left out: \(candidates.count) tables of \(names.count) columns could be "
                        + "it, and \(alike.count) are missing")
                doubtful.insert(plan.table)
            } else if trees.strays > 0 {
                doubtful.insert(plan.table)
            }
            return
        }
        let rows = count(tree, types)
        guard rows.misfits == 0 else {
            doubtful.insert(plan.table)
            return
        }
        try guess(plan.table, types.count, tree, rows.all)
    }

    // MARK: Tables and rows

    private func make(_ table: String, _ columns: [String], _ types: [String]) throws {
        let list = zip(columns, types).map { column, type in
            "\(column.sqlIdentifier) \(type)" + (column == "Z_PK" ? " PRIMARY KEY" : "")
        }
        try connection.executeOne("CREATE TABLE \(table.sqlIdentifier) ( \(list.joined(separator: ", ")) )")
    }

    /// Makes a table as its entry says.
    /// - Returns: how many columns it has; nil where the entry is none of such a table.
    private func make(_ entry: Entry) throws -> Int? {
        guard entry.sql.uppercased().hasPrefix("CREATE TABLE ") else { return nil }
        do {
            // One statement: whatever follows it is not run.
            try connection.savepoint("entry") { try connection.prepare(entry.sql).run() }
        } catch is SQLiteError {
            return nil
        }
        let count = try connection.query("SELECT name FROM pragma_table_info(?)", [.text(entry.name)]).count
        return count == 0 ? nil : count
    }

    private mutating func fill(_ table: String, _ columns: Int, from tree: PageTrees.Tree) throws {
        free.removeAll { $0.root == tree.root }
        // The key of a table whose first column is its integer key does not stand in the record.
        let keys = try connection.query(
            "SELECT cid FROM pragma_table_info(?) WHERE pk > 0 AND upper(type) = 'INTEGER'", [.text(table)])
        let isKeyed = keys.count == 1 && keys[0][0] == 0
        let marks = [String](repeating: "?", count: columns).joined(separator: ", ")
        let insert = try connection.prepare("INSERT OR IGNORE INTO \(table.sqlIdentifier) VALUES (\(marks))")
        var lost = tree.damaged
        try trees.forEachRow(of: tree) { row in
            guard row.values.count <= columns else {
                lost += 1
                return
            }
            var values = row.values + [SQLValue](repeating: .null, count: columns - row.values.count)
            if isKeyed { values[0] = .integer(row.key) }
            lost += row.lost
            try insert.run(values)
        }
        if lost > 0 { doubtful.insert(table) }
        isEmpty = false
    }

    /// Whether a record has a value for each column, of a class that the column keeps.
    private static func fits(_ row: TableNode.Row, _ types: [String]) -> Bool {
        guard row.values.count == types.count else { return false }
        return zip(row.values, types).allSatisfy { value, type in
            switch (type, value) {
            case (_, .null): true
            case ("INTEGER", .integer), ("VARCHAR", .text), ("BLOB", .blob): true
            case ("FLOAT", .real), ("FLOAT", .integer), ("TIMESTAMP", .real), ("TIMESTAMP", .integer): true
            case ("DECIMAL", .real), ("DECIMAL", .integer): true
            default: false
            }
        }
    }
}
