import SQLite

/// The history tables among themselves (Format, section 8).
enum HistoryRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        guard context.store.historyForm.isTracked else { return }
        try counters(context)
        let history = [Catalogue.changeNumber, Catalogue.transactionNumber, Catalogue.transactionStringNumber].sqlList
        var checks = [
            RowCheck(
                rule: "history-type", table: "ACHANGE",
                condition: "r.ZCHANGETYPE IS NULL OR r.ZCHANGETYPE NOT IN (0, 1, 2)",
                what: "'ZCHANGETYPE ' || ifnull(r.ZCHANGETYPE, 'NULL')"),
            RowCheck(
                rule: "history-entity", table: "ACHANGE",
                condition: """
                    r.ZENTITY IS NULL OR r.ZENTITY NOT IN (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT NOT IN \(history))
                    """,
                what: "'ZENTITY ' || ifnull(r.ZENTITY, 'NULL')"),
            RowCheck(
                rule: "history-columns", table: "ACHANGE",
                condition: "(r.ZCOLUMNS IS NOT NULL) <> (r.ZCHANGETYPE IS 1)",
                what: "'ZCOLUMNS must be set for updates and only for them'"),
            RowCheck(
                rule: "history-orphan", table: "ACHANGE",
                condition: """
                    r.ZTRANSACTIONID IS NULL OR NOT EXISTS (SELECT 1 FROM ATRANSACTION t WHERE t.Z_PK = r.ZTRANSACTIONID)
                    """,
                what: "'its transaction does not exist'"),
        ]
        if case .interned = context.store.historyForm {
            for column in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"] {
                checks.append(
                    RowCheck(
                        rule: "history-string", table: "ATRANSACTION",
                        condition: """
                            r.\(column) IS NOT NULL
                            AND NOT EXISTS (SELECT 1 FROM ATRANSACTIONSTRING s WHERE s.Z_PK = r.\(column))
                            """,
                        what: "'\(column) names no string'"))
            }
        }
        try context.check(checks)
    }

    private static func counters(_ context: VerifyContext) throws {
        let rows = Dictionary(
            context.store.catalogue.rows.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        for (number, name) in [
            (Catalogue.changeNumber, "CHANGE"), (Catalogue.transactionNumber, "TRANSACTION"),
            (Catalogue.transactionStringNumber, "TRANSACTIONSTRING"),
        ] {
            let table = "A\(name)"
            guard context.tables[table] != nil,
                let highest = try context.connection.scalar("SELECT max(Z_PK) FROM \(table)")?.integerValue
            else { continue }
            let row = rows[number]
            if row?.name != name || row?.maximum ?? 0 < highest {
                let says = row.map { "\($0.name) \($0.maximum)" } ?? "nothing"
                try context.report("history-counter", table, "Z_PRIMARYKEY says \(says), highest row \(highest)")
            }
        }
    }
}
