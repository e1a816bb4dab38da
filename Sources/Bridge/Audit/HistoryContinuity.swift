import SQLite
import StoreFormat

/// Whether history is whole after a number: no transaction missing, and no change of one.
///
/// A number that is rolled back is handed out again, so numbers have no holes, but where history was cut, or where a restore
/// passed over those of the store that it replaced, which is recorded. The same holds for the change rows of our own transactions; of those of Apple's frameworks it is not known.
struct HistoryContinuity {
    /// A place where something is missing.
    struct Gap {
        var place: String
        var what: String
    }

    private let connection: Connection
    private let store: Store
    private let start: Int64

    /// Looks at history after that transaction. To be used inside one transaction of the connection.
    init(_ connection: Connection, store: Store, after start: Int64) {
        self.connection = connection
        self.store = store
        self.start = start
    }

    /// - Parameter limit: how many gaps of a kind are given at most.
    func gaps(limit: Int = AuditReport.limit) throws -> [Gap] {
        let extent = try HistoryReader(connection, store: store).extent()
        var gaps: [Gap] = []
        let skipped = try SkippedNumbers.read(connection)
        func missing(_ first: Int64, _ last: Int64) {
            for part in SkippedNumbers.rest(of: first...last, without: skipped) {
                let (first, last) = (part.lowerBound, part.upperBound)
                let numbers = first == last ? "transaction \(first) is" : "transactions \(first) to \(last) are"
                gaps.append(Gap(place: "transaction \(first)", what: "\(numbers) missing from history"))
            }
        }
        guard extent.last > start else {
            if extent.last < start { missing(extent.last + 1, start) }
            return gaps
        }
        var newest = start
        try rows(
            """
            SELECT number, before FROM (
                SELECT Z_PK AS number, lag(Z_PK, 1, ?1) OVER (ORDER BY Z_PK) AS before FROM ATRANSACTION WHERE Z_PK > ?1)
            WHERE number <> before + 1 ORDER BY number LIMIT ?2
            """, limit
        ) { row in missing(row.integer(1) + 1, row.integer(0) - 1) }
        newest = max(newest, try connection.scalar("SELECT max(Z_PK) FROM ATRANSACTION")?.integerValue ?? 0)
        if newest < extent.last { missing(newest + 1, extent.last) }
        try beyond(extent.last, limit) { gaps.append($0) }
        let migration = try HistoryReader(connection, store: store).lastMigration(after: start)
        try changes(after: migration ?? start, limit) { gaps.append($0) }
        return gaps
    }

    /// Changes that are missing up to a migration. It drops those of entities that it removes, and nothing tells them from
    /// others.
    func gapsBefore(migration: Int64, limit: Int = AuditReport.limit) throws -> [Gap] {
        var gaps: [Gap] = []
        try changes(after: start, upTo: migration, limit) { gaps.append($0) }
        return gaps
    }

    /// What belongs to transactions of numbers that were never handed out.
    private func beyond(_ last: Int64, _ limit: Int, _ add: (Gap) -> Void) throws {
        for (table, column) in [("COEXIST_TRANSACTION", "NUMBER"), ("ACHANGE", "ZTRANSACTIONID")] {
            let sql = """
                SELECT DISTINCT \(column) FROM \(table) WHERE \(column) > \(last) AND ?1 IS NOT NULL ORDER BY 1 LIMIT ?2
                """
            try rows(sql, limit) { row in
                add(
                    Gap(
                        place: "transaction \(row.integer(0))",
                        what: "\(table) tells of it, but history ends at \(last)"))
            }
        }
    }

    private func changes(
        after start: Int64, upTo end: Int64 = .max, _ limit: Int, _ add: (Gap) -> Void
    ) throws {
        func rows(_ sql: String, _ limit: Int, _ body: (Statement) throws -> Void) throws {
            let values: [SQLValue] = [.integer(start), .integer(Int64(limit)), .integer(end)]
            try connection.prepare(sql).forEach(values, body)
        }
        try rows(
            """
            SELECT w.NUMBER FROM COEXIST_TRANSACTION w JOIN ATRANSACTION t ON t.Z_PK = w.NUMBER
            WHERE w.NUMBER > ?1 AND w.NUMBER <= ?3 AND NOT EXISTS (SELECT 1 FROM ACHANGE c WHERE c.ZTRANSACTIONID = w.NUMBER)
            ORDER BY 1 LIMIT ?2
            """, limit
        ) { row in add(Gap(place: "transaction \(row.integer(0))", what: "has no changes")) }
        try rows(
            """
            SELECT number, key, before FROM (
                SELECT Z_PK AS key, ZTRANSACTIONID AS number, lag(Z_PK) OVER (ORDER BY Z_PK) AS before,
                    lag(ZTRANSACTIONID) OVER (ORDER BY Z_PK) AS previous FROM ACHANGE WHERE Z_PK > 0) c
            WHERE key > before + 1 AND previous > ?1 AND number <= ?3 AND number BETWEEN previous AND previous + 1
                AND EXISTS (SELECT 1 FROM COEXIST_TRANSACTION WHERE NUMBER = c.number)
                AND EXISTS (SELECT 1 FROM COEXIST_TRANSACTION WHERE NUMBER = c.previous)
            ORDER BY key LIMIT ?2
            """, limit
        ) { row in
            let count = row.integer(1) - row.integer(2) - 1
            add(
                Gap(
                    place: "transaction \(row.integer(0))",
                    what: "\(count) change row\(count == 1 ? " is" : "s are") missing before row \(row.integer(1))"))
        }
        try rows(
            """
            SELECT c.ZTRANSACTIONID, c.Z_PK, k.Z_MAX FROM Z_PRIMARYKEY k
            JOIN ACHANGE c ON c.Z_PK = (SELECT max(Z_PK) FROM ACHANGE)
            WHERE k.Z_ENT = \(Catalogue.changeNumber) AND k.Z_MAX > c.Z_PK AND c.ZTRANSACTIONID > ?1
                AND c.ZTRANSACTIONID <= ?3
                AND c.ZTRANSACTIONID = (SELECT max(Z_PK) FROM ATRANSACTION)
                AND EXISTS (SELECT 1 FROM COEXIST_TRANSACTION WHERE NUMBER = c.ZTRANSACTIONID)
            LIMIT ?2
            """, limit
        ) { row in
            let count = row.integer(2) - row.integer(1)
            add(
                Gap(
                    place: "transaction \(row.integer(0))",
                    what: "\(count) change row\(count == 1 ? " is" : "s are") missing at its end"))
        }
    }

    private func rows(_ sql: String, _ limit: Int, _ body: (Statement) throws -> Void) throws {
        try connection.prepare(sql).forEach([.integer(start), .integer(Int64(limit))], body)
    }
}
