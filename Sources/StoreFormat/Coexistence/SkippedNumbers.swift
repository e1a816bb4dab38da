import SQLite

/// Transaction numbers that a restore passed over: they were handed out in the store that it replaced, and stand for
/// nothing in this one. Recorded in `COEXIST_INHERITED`, so that their absence is told from a loss.
public enum SkippedNumbers {
    private static let rule = "skipped"

    /// The ranges, in order.
    public static func read(_ connection: Connection) throws -> [ClosedRange<Int64>] {
        let sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'COEXIST_INHERITED'"
        guard try connection.scalar(sql) != nil else { return [] }
        let rows = try connection.query(
            "SELECT PLACE, WHAT FROM COEXIST_INHERITED WHERE RULE = ?", [.text(rule)])
        return rows.compactMap { row -> ClosedRange<Int64>? in
            guard let first = row[0].textValue.flatMap({ Int64($0) }),
                let last = row[1].textValue.flatMap({ Int64($0) }),
                first <= last
            else { return nil }
            return first...last
        }.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// To be run inside the transaction that passes over them.
    static func record(_ numbers: ClosedRange<Int64>, _ connection: Connection) throws {
        try connection.run(
            "INSERT OR IGNORE INTO COEXIST_INHERITED VALUES (?, ?, ?)",
            [.text(rule), .text("\(numbers.lowerBound)"), .text("\(numbers.upperBound)")])
    }

    /// Copies the record of a store that is being migrated, whose tables are named in front of `source`.
    static func copy(_ connection: Connection, from source: String) throws {
        try connection.run(
            "INSERT OR IGNORE INTO main.COEXIST_INHERITED SELECT * FROM \(source) WHERE RULE = ?", [.text(rule)])
    }

    /// What of a range is not passed over.
    public static func rest(of range: ClosedRange<Int64>, without skipped: [ClosedRange<Int64>]) -> [ClosedRange<Int64>]
    {
        var rest: [ClosedRange<Int64>] = []
        var first = range.lowerBound
        for part in skipped where part.overlaps(range) {
            if part.lowerBound > first { rest.append(first...part.lowerBound - 1) }
            guard part.upperBound < range.upperBound else { return rest }
            first = max(first, part.upperBound + 1)
        }
        return rest + [first...range.upperBound]
    }
}
