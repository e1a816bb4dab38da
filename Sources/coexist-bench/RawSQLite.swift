import CSQLite
import Foundation
import StoreFormat

/// The same statements through SQLite's C interface alone: what the stacks are measured against.
final class RawSQLite {
    private let db: OpaquePointer

    struct Failure: Error {
        let message: String
    }

    /// A row as native values.
    struct Row {
        var key: Int64
        var version: Int64
        var count: Int64
        var flag: Bool
        var made: Double
        var price: Double
        var name: String
        var note: String
    }

    init(_ path: String) throws {
        var handle: OpaquePointer?
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, let handle else {
            throw Failure(message: "cannot open \(path)")
        }
        db = handle
        try execute("PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=-16000")
    }

    deinit {
        sqlite3_close_v2(db)
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(db, sql, nil, nil, nil) == SQLITE_OK else { throw error }
    }

    private var error: Failure { Failure(message: String(cString: sqlite3_errmsg(db))) }

    private func prepare(_ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(db, sql, -1, &statement, nil) == SQLITE_OK, let statement else { throw error }
        return statement
    }

    private func bind(_ text: String, _ index: Int32, _ statement: OpaquePointer) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
                _ = coexist_sqlite3_bind_text(statement, index, chars.baseAddress, UInt64(chars.count))
            }
        }
    }

    /// Inserts rows and their history in one transaction.
    func insert(_ count: Int) throws {
        try execute("BEGIN IMMEDIATE")
        let insert = try prepare(
            """
            INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZCOUNT, ZFLAG, ZMADE, ZPRICE, ZNAME, ZNOTE)
            VALUES (?, 1, 1, ?, ?, ?, ?, ?, ?)
            """)
        let change = try prepare(
            """
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
            VALUES (?, 16001, 0, 1, ?, 1, NULL)
            """)
        defer {
            sqlite3_finalize(insert)
            sqlite3_finalize(change)
        }
        for i in 1...count {
            let item = Sample(i)
            sqlite3_bind_int64(insert, 1, Int64(i))
            sqlite3_bind_int64(insert, 2, item.count)
            sqlite3_bind_int64(insert, 3, item.flag ? 1 : 0)
            sqlite3_bind_double(insert, 4, item.made)
            sqlite3_bind_double(insert, 5, item.price)
            bind(item.name, 6, insert)
            bind(item.note, 7, insert)
            guard sqlite3_step(insert) == SQLITE_DONE else { throw error }
            sqlite3_reset(insert)
            sqlite3_bind_int64(change, 1, Int64(i))
            sqlite3_bind_int64(change, 2, Int64(i))
            guard sqlite3_step(change) == SQLITE_DONE else { throw error }
            sqlite3_reset(change)
        }
        try execute(
            """
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (1, 16002, 0);
            INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, \(count)), (16002, 'TRANSACTION', 0, 1);
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(count) WHERE Z_ENT = 1;
            COMMIT
            """)
    }

    private static let columns = "Z_PK, Z_OPT, ZCOUNT, ZFLAG, ZMADE, ZPRICE, ZNAME, ZNOTE"

    private func row(_ statement: OpaquePointer) -> Row {
        func text(_ column: Int32) -> String {
            guard let start = sqlite3_column_text(statement, column) else { return "" }
            let count = Int(sqlite3_column_bytes(statement, column))
            return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
        }
        return Row(
            key: sqlite3_column_int64(statement, 0), version: sqlite3_column_int64(statement, 1),
            count: sqlite3_column_int64(statement, 2), flag: sqlite3_column_int64(statement, 3) != 0,
            made: sqlite3_column_double(statement, 4), price: sqlite3_column_double(statement, 5), name: text(6),
            note: text(7))
    }

    /// Every row, every column as a native value.
    func fetch() throws -> [Row] {
        let statement = try prepare("SELECT \(Self.columns) FROM ZITEM ORDER BY Z_PK")
        defer { sqlite3_finalize(statement) }
        var rows: [Row] = []
        while sqlite3_step(statement) == SQLITE_ROW { rows.append(row(statement)) }
        return rows
    }

    /// Rows by key, one statement each.
    func lookUp(_ keys: [Int64]) throws -> Int64 {
        let statement = try prepare("SELECT \(Self.columns) FROM ZITEM WHERE Z_PK = ?")
        defer { sqlite3_finalize(statement) }
        var sum: Int64 = 0
        for key in keys {
            sqlite3_bind_int64(statement, 1, key)
            guard sqlite3_step(statement) == SQLITE_ROW else { throw Failure(message: "no row \(key)") }
            sum += row(statement).count
            sqlite3_reset(statement)
        }
        return sum
    }

    /// A change of history as native values.
    struct Change {
        var kind: Int64
        var entity: Int64
        var key: Int64
        var transaction: Int64
        var columns: [UInt8]
        var timestamp: Double
    }

    /// Every change after a transaction with its transaction's time, every column as a native value.
    func history(after number: Int64) throws -> [Change] {
        let statement = try prepare(
            """
            SELECT c.ZCHANGETYPE, c.ZENTITY, c.ZENTITYPK, c.ZTRANSACTIONID, c.ZCOLUMNS, t.ZTIMESTAMP
            FROM ATRANSACTION t JOIN ACHANGE c ON c.ZTRANSACTIONID = t.Z_PK WHERE t.Z_PK > ? ORDER BY t.Z_PK, c.Z_PK
            """)
        defer { sqlite3_finalize(statement) }
        sqlite3_bind_int64(statement, 1, number)
        var changes: [Change] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            let bytes = UnsafeRawBufferPointer(
                start: sqlite3_column_blob(statement, 4), count: Int(sqlite3_column_bytes(statement, 4)))
            changes.append(
                Change(
                    kind: sqlite3_column_int64(statement, 0), entity: sqlite3_column_int64(statement, 1),
                    key: sqlite3_column_int64(statement, 2), transaction: sqlite3_column_int64(statement, 3),
                    columns: Array(bytes), timestamp: sqlite3_column_double(statement, 5)))
        }
        return changes
    }

    /// One transaction, with so many changes of as many objects.
    func appendTransaction(changes count: Int) throws {
        try execute(
            """
            BEGIN IMMEDIATE;
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) SELECT ifnull(max(Z_PK), 0) + 1, 16002, 1 FROM ATRANSACTION;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
            SELECT 16001, 0, 1, i, (SELECT max(Z_PK) FROM ATRANSACTION) FROM n;
            INSERT OR REPLACE INTO Z_PRIMARYKEY SELECT 16001, 'CHANGE', 0, max(Z_PK) FROM ACHANGE;
            INSERT OR REPLACE INTO Z_PRIMARYKEY SELECT 16002, 'TRANSACTION', 0, max(Z_PK) FROM ATRANSACTION;
            COMMIT
            """)
    }

    /// Transactions of one inserted object each, as another program of Core Data's would leave them.
    func appendHistory(transactions count: Int) throws {
        try execute(
            """
            BEGIN IMMEDIATE;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) SELECT i, 16002, i FROM n;
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
            SELECT Z_PK, 16001, 0, 1, Z_PK, Z_PK FROM ATRANSACTION;
            INSERT OR REPLACE INTO Z_PRIMARYKEY
            VALUES (16001, 'CHANGE', 0, \(count)), (16002, 'TRANSACTION', 0, \(count));
            COMMIT
            """)
    }
}
