import SQLite

/// How a store keeps persistent history (Format, section 8).
public enum HistoryForm: Sendable, Hashable {
    /// No history tables: the store was never tracked.
    case none
    /// Framework 851: the texts stand in ATRANSACTION itself.
    case inline
    /// Framework 973 and later: the texts stand in ATRANSACTIONSTRING.
    case interned(tombstones: Int)

    /// The form of the file's history tables as they are now: they may come after the store was opened.
    init(_ connection: Connection) throws {
        self = try connection.schemaFact("HistoryForm") {
            HistoryForm(try TableColumns(connection, of: ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]))
        }
    }

    init(_ tables: TableColumns) {
        guard let change = tables["ACHANGE"], let transaction = tables["ATRANSACTION"] else {
            self = .none
            return
        }
        if transaction.contains("ZAUTHORTS"), tables["ATRANSACTIONSTRING"] != nil {
            self = .interned(tombstones: change.count { $0.hasPrefix("ZTOMBSTONE") })
        } else {
            self = .inline
        }
    }

    /// Whether there are history tables.
    public var isTracked: Bool { self != .none }
}
