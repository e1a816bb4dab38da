import SQLite

/// The file itself (Format, section 1).
enum FileRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        try pages(context)
        try expect("auto_vacuum", 2, context)
        try expect("user_version", 0, context)
        try expect("application_id", 0, context)
        let encoding = try context.connection.scalar("PRAGMA encoding")?.textValue ?? ""
        if encoding != "UTF-8" { try context.report("file-header", "encoding", "\(encoding), expected UTF-8") }
    }

    private static func expect(_ pragma: String, _ value: Int64, _ context: VerifyContext) throws {
        let found = try context.connection.scalar("PRAGMA \(pragma)")?.integerValue ?? 0
        if found != value { try context.report("file-header", pragma, "\(found), expected \(value)") }
    }

    /// A damaged page is said once, with the table that it belongs to. What follows from it is not said again: rows that
    /// its table's indexes miss, pages that cannot be reached through it.
    private static func pages(_ context: VerifyContext) throws {
        var problems: [String] = []
        var failure: SQLiteError?
        do {
            try context.connection.forEachIntegrityProblem { problems.append($0) }
        } catch let error as SQLiteError where error.isCorrupt {
            failure = error
        }
        guard failure != nil || !problems.isEmpty else { return }
        let tables = try indexedTables(context)
        let damaged = context.connection.damagedPages()
        var unreachable = 0
        for problem in problems {
            if problem.hasPrefix("Page "), problem.hasSuffix(" is never used") {
                unreachable += 1
                guard damaged.isEmpty else { continue }
            }
            if let page = page(problem), damaged.contains(where: { $0.number == page }) { continue }
            if let index = index(problem), damaged.contains(where: { ($0.name == index) || $0.name == tables[index] }) {
                continue
            }
            // What is no page of a table's or an index's own is said as SQLite says it.
            try context.report("sqlite-integrity", "file", problem)
        }
        for page in damaged {
            let table = tables[page.name] ?? page.name
            let part = table == page.name ? "" : " of its index \(page.name)"
            let rest =
                unreachable > 0 && page == damaged.last
                ? ", nor can \(unreachable) page\(unreachable == 1 ? "" : "s") that lie beyond the damaged ones" : ""
            try context.report(
                damage: table, "page \(page.number)\(part) cannot be read\(rest): not all of it could be checked")
        }
        if let failure, damaged.isEmpty {
            try context.report(damage: "file", "\(failure.message): not all of it could be checked")
        }
    }

    /// The table of each index.
    private static func indexedTables(_ context: VerifyContext) throws -> [String: String] {
        var tables: [String: String] = [:]
        try context.rows("SELECT name, tbl_name FROM sqlite_master WHERE type = 'index'") { row in
            if let name = row.text(0) { tables[name] = row.text(1) }
        }
        return tables
    }

    /// The page that a line of SQLite's check is about.
    private static func page(_ problem: String) -> Int64? {
        problem.firstMatch(of: #/^(?:On tree |Tree \d+ )?[Pp]age (\d+)/#).flatMap { Int64($0.1) }
    }

    /// The index that a line of SQLite's check says to disagree with its table.
    private static func index(_ problem: String) -> String? {
        problem.firstMatch(of: #/(?:missing from|entries in) index (.+)$/#).map { String($0.1) }
    }
}
