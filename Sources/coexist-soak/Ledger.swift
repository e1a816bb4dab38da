import Foundation
import SQLite
import StoreFormat

/// History as it was written, taken down before it can be purged, by SQL alone.
final class Ledger {
    /// A history transaction.
    struct Transaction {
        var number: Int64
        var author: String?
        var stack: String?
        var instance: String?
        /// `unit=epoch`, a line each.
        var epochs: String?
        var changes: [Change]
    }

    /// A change row.
    struct Change: Hashable {
        /// 0 insert, 1 update, 2 delete.
        var kind: Int64
        var entity: Int64
        var key: Int64
    }

    private let connection: Connection
    private(set) var transactions: [Transaction] = []
    /// The last transaction that was taken down.
    private(set) var last: Int64

    /// Begins after what is there now.
    init(_ path: String) throws {
        connection = try StoreConnector.connect(path, .reader)
        last = try connection.scalar("SELECT max(Z_PK) FROM ATRANSACTION")?.integerValue ?? 0
    }

    /// Takes down what came since.
    func read() throws {
        try connection.transaction(.deferred) {
            let from = last
            var changes: [Int64: [Change]] = [:]
            try connection.cached(
                "SELECT ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK FROM ACHANGE WHERE ZTRANSACTIONID > ?"
            ).forEach([.integer(from)]) { row in
                changes[row.integer(0), default: []].append(
                    Change(kind: row.integer(1), entity: row.integer(2), key: row.integer(3)))
            }
            try connection.cached(
                """
                SELECT t.Z_PK, s.ZNAME, w.STACK, w.INSTANCE, w.EPOCHS FROM ATRANSACTION t
                LEFT JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS
                LEFT JOIN COEXIST_TRANSACTION w ON w.NUMBER = t.Z_PK WHERE t.Z_PK > ? ORDER BY t.Z_PK
                """
            ).forEach([.integer(from)]) { row in
                last = row.integer(0)
                transactions.append(
                    Transaction(
                        number: last, author: row.text(1), stack: row.text(2), instance: row.text(3),
                        epochs: row.text(4), changes: changes[last] ?? []))
            }
        }
    }
}
