import Foundation
import SQLite

/// Reads persistent history.
public struct HistoryReader {
    let connection: Connection
    let store: Store

    /// Reads through a connection, and names entities and properties as the store does.
    public init(_ connection: Connection, store: Store) {
        self.connection = connection
        self.store = store
    }

    /// Where history begins and ends, and whether our own record of writers is there.
    public struct Extent: Sendable, Hashable {
        /// The oldest transaction still there; nil when history is empty.
        public var first: Int64?
        /// The highest number ever handed out; 0 for a store without history.
        public var last: Int64
        /// How many transactions are there.
        public var count: Int64

        /// An extent.
        public init(first: Int64?, last: Int64, count: Int64) {
            self.first = first
            self.last = last
            self.count = count
        }
    }

    /// Where history begins and ends now. Counts the transactions, so its time grows with history.
    public func extent() throws -> Extent {
        guard try isTracked() else { return Extent(first: nil, last: 0, count: 0) }
        return Extent(
            first: try first(), last: try last(),
            count: try connection.scalar("SELECT count(*) FROM ATRANSACTION")?.integerValue ?? 0)
    }

    /// The highest transaction number ever handed out; 0 for a store without history.
    public func last() throws -> Int64 {
        guard try isTracked() else { return 0 }
        // Two reads of one row each: in one with count(*) they would read the whole table.
        let newest = try connection.scalar("SELECT max(Z_PK) FROM ATRANSACTION")?.integerValue ?? 0
        let counter = try connection.scalar(
            "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(Catalogue.transactionNumber)])
        return max(0, newest, counter?.integerValue ?? 0)
    }

    /// The oldest transaction that is still there; nil when history is empty. Numbers begin at 1, whatever a file says.
    func first() throws -> Int64? {
        try connection.scalar("SELECT min(Z_PK) FROM ATRANSACTION")?.integerValue.map { max(1, $0) }
    }

    /// The history tables may come after the store was opened, so the file is asked.
    private func isTracked() throws -> Bool {
        try connection.schemaFact("isTracked") {
            try connection.scalar("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'ATRANSACTION'") != nil
        }
    }

    /// Transactions after a number, oldest first.
    /// - Parameters:
    ///   - limit: how many transactions at most.
    ///   - changeLimit: stop after the transaction that brings the changes to this many.
    ///   - largest: of a transaction with more changes than this only the entities are read. It comes alone.
    /// - Throws: `StoreError` `TokenExpired` where history after the number has been purged.
    public func transactions(
        after number: Int64, limit: Int = .max, changeLimit: Int = .max, largest: Int = .max
    ) throws -> [HistoryTransaction] {
        // One snapshot: a purge between the check and the reading would be a silent gap.
        if !connection.isInTransaction {
            return try connection.transaction(.deferred) {
                try transactions(after: number, limit: limit, changeLimit: changeLimit, largest: largest)
            }
        }
        return try reading { try read(after: number, limit: limit, changeLimit: changeLimit, largest: largest) }
    }

    private func reading<T>(_ body: () throws -> T) throws -> T {
        try StructureLimit.reading(
            "a text, bitmap or tombstone in the history", connection, bytes: StructureLimit.historyBytes,
            code: .damaged,
            way: "restore a backup, or `coexistctl salvage` the store without its history", body)
    }

    private func read(after number: Int64, limit: Int, changeLimit: Int, largest: Int) throws -> [HistoryTransaction] {
        guard try isTracked() else { return [] }
        try checkReach(number)
        let hasWriters = try CoexistenceTables.has("COEXIST_TRANSACTION", connection)
        let form = try HistoryForm(connection)
        let statement = try connection.cached(Self.transactionSQL(form, hasWriters: hasWriters))
        statement.bind([.integer(number), .integer(Int64(clamping: limit))])
        defer { statement.reset() }
        let cursor = try ChangeCursor(connection, store: store, form: form, after: number)
        defer { cursor.end() }
        var result: [HistoryTransaction] = []
        var changes = 0
        while changes < changeLimit, try statement.step() {
            var transaction = Self.heading(statement, hasWriters: hasWriters)
            guard let list = try cursor.changes(of: transaction.number, limit: largest) else {
                guard result.isEmpty else { break }
                try readEntities(&transaction)
                return [transaction]
            }
            transaction.changes = list
            transaction.unreadable = cursor.unreadable
            // A save of ours without changes changed nothing, and so did a migration.
            if list.isEmpty, transaction.unreadable == nil, transaction.writer == nil, !transaction.isMigration {
                transaction.unreadable = "it names no change"
            }
            changes += list.count
            result.append(transaction)
        }
        return result
    }

    private func readEntities(_ transaction: inout HistoryTransaction) throws {
        let rows = try connection.query(
            "SELECT DISTINCT ZENTITY FROM ACHANGE WHERE ZTRANSACTIONID = ?", [.integer(transaction.number)])
        var entities: Set<String> = []
        for row in rows {
            if let name = row[0].integerValue.flatMap({ store.layout[number: $0]?.name }) {
                entities.insert(name)
            } else {
                transaction.unreadable = "a change names an entity that the store has not"
            }
        }
        transaction.changedEntities = entities
    }

    /// The entities of all changes after one transaction, up to another.
    public func changedEntities(after number: Int64, upTo last: Int64) throws -> Set<String> {
        guard try isTracked() else { return [] }
        let rows = try connection.query(
            "SELECT DISTINCT ZENTITY FROM ACHANGE WHERE ZTRANSACTIONID > ? AND ZTRANSACTIONID <= ?",
            [.integer(number), .integer(last)])
        return Set(rows.compactMap { $0[0].integerValue.flatMap { store.layout[number: $0]?.name } })
    }

    /// A transaction without its changes; nil where history does not have it.
    public func heading(of number: Int64) throws -> HistoryTransaction? {
        guard try isTracked() else { return nil }
        let hasWriters = try CoexistenceTables.has("COEXIST_TRANSACTION", connection)
        let form = try HistoryForm(connection)
        let statement = try connection.cached(Self.transactionSQL(form, hasWriters: hasWriters))
        statement.bind([.integer(number &- 1), .integer(1)])
        defer { statement.reset() }
        return try reading {
            guard try statement.step(), statement.integer(0) == number else { return nil }
            return Self.heading(statement, hasWriters: hasWriters)
        }
    }

    private static func heading(_ statement: Statement, hasWriters: Bool) -> HistoryTransaction {
        var transaction = HistoryTransaction(
            number: statement.integer(0), timestamp: Date(timeIntervalSinceReferenceDate: statement.double(1)),
            author: statement.text(2), contextName: statement.text(3), processID: statement.text(4),
            bundleID: statement.text(5), writer: nil, changes: [])
        if hasWriters, let stack = statement.text(6).flatMap(StackName.init(rawValue:)), let name = statement.text(7) {
            transaction.writer = .init(
                stack: stack, instanceName: name, cause: statement.isNull(8) ? nil : statement.integer(8))
        }
        return transaction
    }

    /// The transaction after which history is whole: where a reader without a place begins.
    public func floor() throws -> Int64 {
        let recorded =
            try CoexistenceTables.has("COEXIST_STATE", connection)
            ? try CoexistenceState.read(connection).purgeFloor : 0
        guard try isTracked() else { return recorded }
        return max(recorded, try first().map { $0 - 1 } ?? last())
    }

    /// - Throws: `StoreError` `TokenExpired` if changes after the number are gone.
    public func checkReach(_ number: Int64) throws {
        let floor = try floor()
        guard number >= floor else {
            throw StoreError(
                .tokenExpired, "history up to transaction \(floor) has been purged, and the position is \(number)",
                way: HistoryToken.wayOfExpired)
        }
    }

    /// - Throws: `StoreError` `Refused` for a number that has not been handed out.
    public func checkReached(_ number: Int64) throws {
        let last = try last()
        guard number <= last else {
            throw StoreError(
                .refused, "there is no transaction \(number) yet: history is at \(last)",
                way: "give a token that `history` or a save returned")
        }
    }

    private static func transactionSQL(_ form: HistoryForm, hasWriters: Bool) -> String {
        var columns = "t.Z_PK, t.ZTIMESTAMP"
        var joins = ""
        for name in ["AUTHOR", "CONTEXTNAME", "PROCESSID", "BUNDLEID"] {
            if case .interned = form {
                columns += ", coalesce(s\(name).ZNAME, t.Z\(name))"
                joins += " LEFT JOIN ATRANSACTIONSTRING s\(name) ON s\(name).Z_PK = t.Z\(name)TS"
            } else {
                columns += ", t.Z\(name)"
            }
        }
        if hasWriters {
            columns += ", w.STACK, w.INSTANCE, w.CAUSE"
            joins += " LEFT JOIN COEXIST_TRANSACTION w ON w.NUMBER = t.Z_PK"
        }
        return "SELECT \(columns) FROM ATRANSACTION t\(joins) WHERE t.Z_PK > ? ORDER BY t.Z_PK LIMIT ?"
    }
}

extension HistoryReader {
    /// What a transaction says of its origin: each text that it has.
    public func origin(of number: Int64) throws -> TransactionOrigin {
        let form = try HistoryForm(connection)
        guard form.isTracked else { return TransactionOrigin() }
        let statement = try connection.cached(Self.transactionSQL(form, hasWriters: false))
        statement.bind([.integer(number &- 1), .integer(1)])
        defer { statement.reset() }
        return try reading {
            guard try statement.step(), statement.integer(0) == number else { return TransactionOrigin() }
            return TransactionOrigin(
                author: statement.text(2), processID: statement.text(4), bundleID: statement.text(5))
        }
    }

    /// How many objects of each entity a transaction inserted, updated and deleted, with the owner's part of a forwarded
    /// delete.
    public func counts(of number: Int64) throws -> [HistoryChange.Kind: [String: Int64]] {
        guard try isTracked() else { return [:] }
        // The owner's part is the transaction just before.
        let part =
            try CoexistenceTables.exist(connection)
            ? " UNION SELECT NUMBER FROM COEXIST_TRANSACTION WHERE NUMBER = ?1 - 1 AND CAUSE = ?1" : ""
        let rows = try connection.query(
            """
            SELECT ZCHANGETYPE, ZENTITY, count(*) FROM ACHANGE
            WHERE ZTRANSACTIONID IN (SELECT ?1\(part)) GROUP BY 1, 2
            """, [.integer(number)])
        var counts: [HistoryChange.Kind: [String: Int64]] = [:]
        for row in rows {
            guard let kind = row[0].integerValue.flatMap(HistoryChange.Kind.init(rawValue:)),
                let entity = row[1].integerValue.flatMap({ store.layout[number: $0]?.name })
            else { continue }
            counts[kind, default: [:]][entity, default: 0] += row[2].integerValue ?? 0
        }
        return counts
    }

    /// The last migration after a number: a transaction that says that it is one, changes no object, and was no save.
    public func lastMigration(after number: Int64) throws -> Int64? {
        let form = try HistoryForm(connection)
        guard form.isTracked else { return nil }
        let author: String
        if case .interned = form {
            author = "coalesce((SELECT s.ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.ZAUTHORTS), t.ZAUTHOR)"
        } else {
            author = "t.ZAUTHOR"
        }
        let isOurs =
            try CoexistenceTables.has("COEXIST_TRANSACTION", connection)
            ? " AND NOT EXISTS (SELECT 1 FROM COEXIST_TRANSACTION w WHERE w.NUMBER = t.Z_PK)" : ""
        return try connection.scalar(
            """
            SELECT max(t.Z_PK) FROM ATRANSACTION t
            WHERE t.Z_PK > ? AND \(author) GLOB '\(TransactionOrigin.migrator)*'
                AND NOT EXISTS (SELECT 1 FROM ACHANGE c WHERE c.ZTRANSACTIONID = t.Z_PK)\(isOurs)
            """, [.integer(number)])?.integerValue
    }

    /// The authors that transactions name, sorted.
    public func authors() throws -> [String] {
        guard try isTracked(), try first() != nil else { return [] }
        let sql =
            switch try HistoryForm(connection) {
            case .none: ""
            case .inline: "SELECT DISTINCT ZAUTHOR FROM ATRANSACTION WHERE ZAUTHOR IS NOT NULL ORDER BY 1"
            case .interned:
                """
                SELECT DISTINCT coalesce(s.ZNAME, t.ZAUTHOR) FROM ATRANSACTION t
                LEFT JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS
                WHERE coalesce(s.ZNAME, t.ZAUTHOR) IS NOT NULL ORDER BY 1
                """
            }
        return sql.isEmpty ? [] : try reading { try connection.query(sql).compactMap { $0[0].textValue } }
    }
}
