import SQLite

/// A rule about single rows, as an SQL condition that is true for a row that breaks it.
struct RowCheck {
    let rule: String
    /// The table, whose rows the condition and the text call `r`.
    let table: String
    /// What follows the row's key in the finding's place, such as `.name`.
    var suffix = ""
    let condition: String
    /// An SQL expression for what is wrong.
    let what: String
    var severity = Violation.Severity.error
}

extension VerifyContext {
    /// Runs many rules with few scans: one scan asks whether any of a hundred is broken, and only then each is looked at.
    func check(_ checks: [RowCheck]) throws {
        let byTable = Dictionary(grouping: checks, by: \.table)
        for (table, checks) in byTable.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            try reporting(damagedIn: table) { try self.check(checks, of: table) }
        }
    }

    private func check(_ checks: [RowCheck], of table: String) throws {
        var rest = checks[...]
        while !rest.isEmpty {
            let some = rest.prefix(100)
            rest = rest.dropFirst(100)
            let any = some.map { "(\($0.condition))" }.joined(separator: " OR ")
            do {
                guard try exists("SELECT 1 FROM \(table.sqlIdentifier) r WHERE \(any) LIMIT 1") else { continue }
            } catch let error as SQLiteError where error.isCorrupt || error.isMissingPart {
                // One of them needs what cannot be read: the others may not.
            }
            for check in some { try reporting(damagedIn: table) { try report(check) } }
        }
    }

    private func report(_ check: RowCheck) throws {
        let sql = """
            SELECT r.Z_PK, \(check.what) FROM \(check.table.sqlIdentifier) r WHERE \(check.condition) ORDER BY r.Z_PK
            """
        try rows(sql) { row in
            try report(check.rule, "\(check.table) \(row.integer(0))\(check.suffix)", row.text(1) ?? "", check.severity)
        }
    }

    private func exists(_ sql: String) throws -> Bool {
        let statement = try connection.prepare(sql)
        defer { statement.reset() }
        return try statement.step()
    }
}

extension String {
    /// The column of the row that a check looks at.
    var ofRow: String { "r.\(sqlIdentifier)" }
}
