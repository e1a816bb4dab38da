import SQLite

/// Reads a table's rows: first as any reader does, then by key, around pages that cannot be read.
struct SalvageScan {
    /// What came of a scan.
    struct Result {
        /// Rows that were found but not read, or keys that could not be looked up.
        var unreadable: Int64 = 0
        /// Values of rows that were read without them.
        var values: Int64 = 0
        /// Whether the end was reached, and nothing on the way could not be read.
        var isComplete: Bool { unreadable == 0 }
    }

    let connection: Connection
    let table: String
    /// The name of the key: `Z_PK`, or `rowid`.
    let key: String
    let columns: [String]
    /// The highest key that can be there, where that is known.
    let highest: Int64?

    /// How many keys in a row are looked up one by one where nothing says how far the table reaches.
    private static let reach: Int64 = 100_000
    /// How many keys are looked up one by one in all.
    private static let limit: Int64 = 20_000_000

    private var list: String { ([key] + columns.map(\.sqlIdentifier)).joined(separator: ", ") }
    private var from: String { "FROM \(table.sqlIdentifier) NOT INDEXED" }

    /// Calls the body with each row's key and columns. Of a damaged table a row can come twice: as any reader finds it, and by
    /// its key.
    func run(_ body: (Int64, [SQLValue]) throws -> Void) throws -> Result {
        // A tree whose pages do not follow each other's keys is read whole like that, but not by key.
        if try plain(body) { return Result() }
        return try byKey(body)
    }

    /// Reads on from the first row as far as it goes.
    /// - Returns: whether the table's end was reached.
    private func plain(_ body: (Int64, [SQLValue]) throws -> Void) throws -> Bool {
        let statement = try connection.prepare("SELECT \(list) \(from)")
        defer { statement.reset() }
        // No row is shorter than four bytes. Pages that lead to one another would give rows without end.
        let pages = try connection.scalar("PRAGMA page_count")?.integerValue ?? 0
        var left = pages * (try connection.scalar("PRAGMA page_size")?.integerValue ?? 0) / 4
        while left > 0 {
            left -= 1
            do {
                guard try statement.step() else { return true }
            } catch let error as SQLiteError where Self.isDamage(error) {
                return false
            }
            let row = statement.row
            if let key = row.first?.integerValue { try body(key, Array(row.dropFirst())) }
        }
        return false
    }

    private func byKey(_ body: (Int64, [SQLValue]) throws -> Void) throws -> Result {
        var result = Result()
        var last = Int64.min
        let forward = try connection.prepare("SELECT \(list) \(from) WHERE \(key) > ? ORDER BY \(key)")
        let single = try connection.prepare("SELECT \(list) \(from) WHERE \(key) = ?")
        // No key that is looked up is the last one of all, so that the next one can be named.
        let end = self.end().map { min($0, Int64.max - 1) }
        var lookups: Int64 = 0
        while true {
            if try scan(forward, after: &last, body) || last == .max { return result }
            // Something after the last key cannot be read: key by key, until one can.
            var next = max(last, 0) + 1
            let bound = end ?? min(next, Int64.max - 1 - Self.reach) + Self.reach
            var found = false
            while !found, next <= bound, lookups < Self.limit {
                lookups += 1
                switch try look(up: next, single) {
                case .row(let values, let lost):
                    result.values += lost
                    try body(next, values)
                    found = true
                case .absent: break
                case .unreadable: result.unreadable += 1
                }
                last = next
                next += 1
            }
            if !found {
                // Where the keys end is not known for sure, so something may have been there.
                result.unreadable = max(1, result.unreadable)
                return result
            }
        }
    }

    /// Reads on from a key.
    /// - Returns: whether the table's end was reached.
    private func scan(
        _ statement: Statement, after last: inout Int64, _ body: (Int64, [SQLValue]) throws -> Void
    ) throws -> Bool {
        statement.reset()
        statement.bind([.integer(last)])
        defer { statement.reset() }
        while true {
            do {
                guard try statement.step() else { return true }
            } catch let error as SQLiteError where Self.isDamage(error) {
                return false
            }
            let row = statement.row
            guard let key = row.first?.integerValue, key > last else { return false }
            last = key
            try body(key, Array(row.dropFirst()))
        }
    }

    private enum Found {
        case row([SQLValue], lost: Int64)
        case absent
        case unreadable
    }

    private func look(up key: Int64, _ statement: Statement) throws -> Found {
        do {
            statement.reset()
            statement.bind([.integer(key)])
            defer { statement.reset() }
            return try statement.step() ? .row(Array(statement.row.dropFirst()), lost: 0) : .absent
        } catch let error as SQLiteError where Self.isDamage(error) {
            return try piecewise(key)
        }
    }

    /// A row whose key is there but of which some value is not, such as a long one that lies on a page of its own.
    private func piecewise(_ key: Int64) throws -> Found {
        func value(_ column: String) throws -> [SQLValue]? {
            do {
                return try connection.query("SELECT \(column) \(from) WHERE \(self.key) = ?", [.integer(key)]).first
            } catch let error as SQLiteError where Self.isDamage(error) {
                return nil
            }
        }
        guard let found = try value(self.key), found.first?.integerValue == key else { return .unreadable }
        var lost: Int64 = 0
        let values = try columns.map { column -> SQLValue in
            if let value = try value(column.sqlIdentifier)?.first { return value }
            lost += 1
            return .null
        }
        return .row(values, lost: lost)
    }

    /// The highest key, by the table itself or by what the caller knows.
    private func end() -> Int64? {
        let own = (try? connection.scalar("SELECT max(\(key)) \(from)"))?.integerValue
        return [own, highest].compactMap { $0 }.max()
    }

    static func isDamage(_ error: SQLiteError) -> Bool { error.isCorrupt || error.isInputOutput || error.isTooBig }
}
