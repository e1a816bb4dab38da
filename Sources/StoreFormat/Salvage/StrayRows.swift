import SQLite

/// The rows of a damaged file page by page: for those that SQLite does not come to from their tables' roots, since a page has
/// got into another one's place, or what leads to it is lost.
struct StrayRows {
    private let trees: PageTrees
    /// The table that begins at a page.
    private let tables: [Int: String]

    /// - Parameters:
    ///   - copy: a copy of the file, its log moved into it.
    ///   - connection: one to the copy, which reads the list of tables.
    init(_ copy: String, _ connection: Connection) throws {
        trees = PageTrees(try DatabasePages(copy))
        var tables: [Int: String] = [:]
        try connection.prepare("SELECT rootpage, name FROM sqlite_master WHERE type = 'table'").forEach { row in
            if let name = row.text(1) { tables[Int(clamping: row.integer(0))] = name }
        }
        self.tables = tables
    }

    /// Calls the body with each row, and the table whose tree its page is in.
    func forEach(_ body: (_ home: String, TableNode.Row) throws -> Void) rethrows {
        for tree in trees.trees {
            // A tree that begins at no known table was removed, or lost what leads to it: nothing tells which.
            guard let home = tables[tree.root] else { continue }
            try trees.forEachRow(of: tree) { try body(home, $0) }
        }
    }
}
