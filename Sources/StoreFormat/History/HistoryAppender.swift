import Foundation
import SQLite

/// Writes one history transaction (Format, section 8): a row for each changed object as it comes, then the
/// transaction's own.
final class HistoryAppender {
    private let connection: Connection
    private let form: HistoryForm
    /// The number that this transaction gets: one more than was ever handed out.
    let number: Int64
    private var lastChange: Int64
    private let insert: Statement
    private let tombstones: Int
    /// What was written, for those who are to be told without reading it; nil once it is too much, or not all.
    private var changes: [HistoryChange]? = []
    /// Changes that are kept at most: a replay of more reads them.
    private static let keptChanges = 256
    private var time = Date()

    /// - Parameter isAdopted: whether our own record of transactions is there.
    init(_ connection: Connection, form: HistoryForm, isAdopted: Bool) throws {
        self.connection = connection
        self.form = form
        // The counter of a file from elsewhere can be behind, and purged transactions are in no table but ours.
        let recorded = isAdopted ? try Self.recorded(connection) : 0
        number = try FileCounter.advance(
            max(recorded, try Self.last(connection, Catalogue.transactionNumber, "ATRANSACTION")),
            "history transactions")
        lastChange = try Self.last(connection, Catalogue.changeNumber, "ACHANGE")
        if case .interned(let count) = form { tombstones = count } else { tombstones = 0 }
        let names = (0..<tombstones).map { ", ZTOMBSTONE\($0)" }.joined()
        let marks = (0..<tombstones).map { _ in ", ?" }.joined()
        insert = try connection.cached(
            """
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(names))
            VALUES (?, \(Catalogue.changeNumber), ?, ?, ?, ?, ?\(marks))
            """)
    }

    /// The highest key of a history table that was ever handed out.
    private static func last(_ connection: Connection, _ entity: Int64, _ table: String) throws -> Int64 {
        let counter = try connection.scalar("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(entity)])
        let highest = try connection.scalar("SELECT max(Z_PK) FROM \(table)")
        return max(counter?.integerValue ?? 0, highest?.integerValue ?? 0)
    }

    /// The highest number of a transaction in our own record, in a store that is adopted.
    static func recorded(_ connection: Connection) throws -> Int64 {
        try connection.scalar(
            "SELECT max((SELECT PURGE_FLOOR FROM COEXIST_STATE), ifnull((SELECT max(NUMBER) FROM COEXIST_TRANSACTION), 0))"
        )?.integerValue ?? 0
    }

    func append(
        _ kind: HistoryChange.Kind, _ entity: EntityLayout, _ key: Int64, columns: [UInt8]?, tombstone: [SQLValue]
    ) throws {
        lastChange = try FileCounter.advance(lastChange, "history changes")
        insert.bind(lastChange, at: 1)
        insert.bind(kind.rawValue, at: 2)
        insert.bind(entity.number, at: 3)
        insert.bind(key, at: 4)
        insert.bind(number, at: 5)
        if let columns { insert.bind(columns, at: 6) } else { insert.bindNull(at: 6) }
        for i in 0..<tombstones { insert.bind(i < tombstone.count ? tombstone[i] : .null, at: 7 + i) }
        try insert.run()
        guard let count = changes?.count else { return }
        if count >= Self.keptChanges { return forgetChanges() }
        changes?.append(
            HistoryChange(
                kind: kind, key: key,
                details: .init(entity: entity.name, properties: columns.map(entity.bitmap.decode) ?? [])))
    }

    /// A change row was altered after it was appended.
    func forgetChanges() { changes = nil }

    /// The transaction as its readers will find it, but for tombstones; nil where it has too many changes to be kept.
    func written(_ identity: TransactionIdentity, by writer: HistoryTransaction.Writer) -> HistoryTransaction? {
        guard let changes, !changes.isEmpty else { return nil }
        return HistoryTransaction(
            number: number, timestamp: time, author: identity.author, contextName: identity.contextName,
            processID: identity.processID, bundleID: identity.bundleID, writer: writer, changes: changes)
    }

    /// Writes the transaction's row and the counters.
    /// - Returns: the transaction's number.
    func finish(_ identity: TransactionIdentity) throws -> Int64 {
        self.time = Date()
        let time = SQLValue.real(self.time.timeIntervalSinceReferenceDate)
        switch form {
        case .interned:
            let values = [identity.author, identity.bundleID, identity.contextName, identity.processID]
            let keys = try values.map { try $0.map { SQLValue.integer(try intern($0)) } ?? .null }
            try connection.run(
                """
                INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """, [.integer(number), .integer(Catalogue.transactionNumber)] + keys + [time])
        case .inline, .none:
            let values = [identity.author, identity.bundleID, identity.contextName, identity.processID]
            try connection.run(
                """
                INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHOR, ZBUNDLEID, ZCONTEXTNAME, ZPROCESSID, ZTIMESTAMP)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [.integer(number), .integer(Catalogue.transactionNumber)] + values.map { $0.map { .text($0) } ?? .null }
                    + [time])
        }
        try setCounter(Catalogue.changeNumber, "CHANGE", lastChange)
        try setCounter(Catalogue.transactionNumber, "TRANSACTION", number)
        return number
    }

    private func intern(_ text: String) throws -> Int64 {
        let found = try connection.scalar("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?", [.text(text)])
        if let key = found?.integerValue { return key }
        let key = try FileCounter.advance(
            try Self.last(connection, Catalogue.transactionStringNumber, "ATRANSACTIONSTRING"), "history texts")
        try connection.run(
            "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)",
            [.integer(key), .integer(Catalogue.transactionStringNumber), .text(text)])
        try setCounter(Catalogue.transactionStringNumber, "TRANSACTIONSTRING", key)
        return key
    }

    /// The history tables' rows in the catalogue come with the first transaction (Format, section 2).
    private func setCounter(_ number: Int64, _ name: String, _ value: Int64) throws {
        try connection.run(
            """
            INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, ?)
            ON CONFLICT (Z_ENT) DO UPDATE SET Z_MAX = excluded.Z_MAX
            """, [.integer(number), .text(name), .integer(value)])
    }
}
