import SQLite

/// The history tables among themselves (Format, section 8).
enum HistoryRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        try tables(context)
        guard context.store.historyForm.isTracked else { return }
        try columns(context)
        try counters(context)
        try context.check(changes(context) + transactions(context))
        try duplicates(context)
    }

    /// All of the tables are there, or none; an adopted store has them. The first form has no table of strings.
    private static func tables(_ context: VerifyContext) throws {
        for name in HistoryTables.missing(context.tables) { try context.report(.history(name)) }
    }

    /// The columns that a save fills.
    private static func columns(_ context: VerifyContext) throws {
        let own = ["Z_PK", "Z_ENT", "Z_OPT"]
        var needed = [
            "ACHANGE": own + ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"],
            "ATRANSACTION": own + ["ZTIMESTAMP"],
        ]
        if context.tables["ATRANSACTIONSTRING"] != nil {
            needed["ATRANSACTION"]? += ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"]
            needed["ATRANSACTIONSTRING"] = own + ["ZNAME"]
            let tombstones = context.store.layout.entities.map(\.tombstoneAttributes.count).max() ?? 0
            needed["ACHANGE"]? += (0..<tombstones).map { "ZTOMBSTONE\($0)" }
        }
        for (table, names) in needed.sorted(by: { $0.key < $1.key }) {
            let real = context.tables[table] ?? []
            for name in names where !real.contains(name) {
                try context.report("column-missing", "\(table) \(name)", "no such column")
            }
        }
    }

    private static func changes(_ context: VerifyContext) -> [RowCheck] {
        let abstract = context.entities.filter(\.isAbstract).compactMap { context.number($0.name) }.sqlList
        let history = [Catalogue.changeNumber, Catalogue.transactionNumber, Catalogue.transactionStringNumber].sqlList
        var checks = [
            row("ACHANGE", Catalogue.changeNumber),
            RowCheck(
                rule: "history-row", table: "ACHANGE", condition: "r.Z_OPT IS NOT NULL",
                what: "'Z_OPT ' || r.Z_OPT || ', expected NULL'"),
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
                rule: "history-entity", table: "ACHANGE", condition: "r.ZENTITY IN \(abstract)",
                what: "'ZENTITY ' || r.ZENTITY || ' is of an abstract entity'"),
            RowCheck(
                rule: "history-columns", table: "ACHANGE", condition: "typeof(r.ZCOLUMNS) NOT IN ('null', 'blob')",
                what: "'ZCOLUMNS is ' || typeof(r.ZCOLUMNS) || ', expected a bitmap'"),
            RowCheck(
                rule: "history-object", table: "ACHANGE",
                condition: "typeof(r.ZENTITYPK) <> 'integer' OR r.ZENTITYPK < 1",
                what: "'ZENTITYPK ' || ifnull(r.ZENTITYPK, 'NULL') || ' is no key'"),
            RowCheck(
                rule: "history-columns", table: "ACHANGE",
                condition: "(r.ZCOLUMNS IS NOT NULL) <> (r.ZCHANGETYPE IS 1)",
                what: "'ZCOLUMNS must be set for updates and only for them'"),
            RowCheck(
                rule: "history-orphan", table: "ACHANGE",
                condition: """
                    r.ZTRANSACTIONID IS NULL OR NOT EXISTS (SELECT 1 FROM ATRANSACTION t WHERE t.Z_PK = r.ZTRANSACTIONID)
                    """,
                what: "'its transaction ' || ifnull(r.ZTRANSACTIONID, 'NULL') || ' does not exist'"),
        ]
        let tombstones = HistoryTombstoneRules.columns(context)
        if !tombstones.isEmpty {
            let isSet = tombstones.map { "\($0.ofRow) IS NOT NULL" }.joined(separator: " OR ")
            checks.append(
                RowCheck(
                    rule: "history-tombstone", table: "ACHANGE", condition: "r.ZCHANGETYPE IN (0, 1) AND (\(isSet))",
                    what: "'a tombstone at a change that is no deletion'"))
            checks += HistoryTombstoneRules.checks(context, tombstones)
        }
        return checks
    }

    private static func transactions(_ context: VerifyContext) -> [RowCheck] {
        var checks = [
            row("ATRANSACTION", Catalogue.transactionNumber),
            RowCheck(
                rule: "history-timestamp", table: "ATRANSACTION",
                condition: "typeof(r.ZTIMESTAMP) NOT IN ('real', 'integer')",
                what: "'ZTIMESTAMP is ' || typeof(r.ZTIMESTAMP) || ', expected a number'"),
            RowCheck(
                rule: "history-timestamp", table: "ATRANSACTION",
                condition: """
                    typeof(r.ZTIMESTAMP) IN ('real', 'integer')
                    AND r.ZTIMESTAMP NOT BETWEEN -211845067200 AND 15927175497600
                    """,
                what: "'ZTIMESTAMP ' || r.ZTIMESTAMP || ' is no date that Foundation can show'"),
        ]
        if context.tables["ATRANSACTION"]?.contains("ZQUERYGEN") ?? false {
            checks.append(
                RowCheck(
                    rule: "history-generation", table: "ATRANSACTION",
                    condition: """
                        r.ZQUERYGEN IS NOT NULL AND (typeof(r.ZQUERYGEN) <> 'blob' OR length(r.ZQUERYGEN) <> 48)
                        """,
                    what: """
                        'ZQUERYGEN is ' || typeof(r.ZQUERYGEN) || ' of ' || length(r.ZQUERYGEN) || ', expected 48 bytes'
                        """))
        }
        guard case .interned = context.store.historyForm else { return checks }
        for column in ["ZBUNDLEIDTS", "ZPROCESSIDTS"] {
            checks.append(
                RowCheck(
                    rule: "history-string", table: "ATRANSACTION", condition: "r.\(column) IS NULL",
                    what: "'\(column) is NULL: every transaction has one'"))
        }
        for column in ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"]
        where context.tables["ATRANSACTION"]?.contains(column) ?? false {
            checks.append(
                RowCheck(
                    rule: "history-string", table: "ATRANSACTION", condition: "r.\(column) IS NOT NULL",
                    what: "'\(column) is set: the text belongs into ATRANSACTIONSTRING'"))
        }
        checks.append(row("ATRANSACTIONSTRING", Catalogue.transactionStringNumber))
        checks.append(
            RowCheck(
                rule: "history-string", table: "ATRANSACTIONSTRING", condition: "typeof(r.ZNAME) <> 'text'",
                what: "'ZNAME is ' || typeof(r.ZNAME) || ', expected text'"))
        checks.append(
            RowCheck(
                rule: "history-string", table: "ATRANSACTIONSTRING",
                condition: "NOT \(VerifyContext.textCheck)(r.ZNAME)", what: "'its text is not valid UTF-8'"))
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
        return checks
    }

    /// The columns that every row has: its own entity's number, and its key.
    private static func row(_ table: String, _ number: Int64) -> RowCheck {
        RowCheck(
            rule: "history-row", table: table, condition: "r.Z_ENT IS NOT \(number) OR r.Z_PK < 1",
            what: "'Z_ENT ' || ifnull(r.Z_ENT, 'NULL') || ', expected \(number)'")
    }

    /// A transaction changes an object once, and a text has one key.
    private static func duplicates(_ context: VerifyContext) throws {
        let changes = """
            SELECT max(Z_PK), ZENTITYPK, ZTRANSACTIONID, ZENTITY FROM ACHANGE
            GROUP BY ZTRANSACTIONID, ZENTITY, ZENTITYPK HAVING count(*) > 1 ORDER BY 1
            """
        try context.rows(changes) { row in
            let name = context.store.layout[number: row.integer(3)].map { "\($0.name)/\(row.integer(1))" }
            try context.report(
                "history-duplicate", "ACHANGE \(row.integer(0))",
                "transaction \(row.integer(2)) has another change of \(name ?? "the object \(row.integer(1))")")
        }
        guard case .interned = context.store.historyForm else { return }
        let texts = "SELECT max(Z_PK), ZNAME FROM ATRANSACTIONSTRING GROUP BY ZNAME HAVING count(*) > 1 ORDER BY 1"
        try context.rows(texts) { row in
            try context.report(
                "history-string", "ATRANSACTIONSTRING \(row.integer(0))", "\(row.text(1) ?? "NULL") has another key too"
            )
        }
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
            if row?.maximum ?? 0 >= .max - 1 {
                try context.report(
                    "history-counter", table, "Z_MAX \(row?.maximum ?? 0) leaves no number for a new row")
            }
            if row?.name != name || row?.maximum ?? 0 < highest {
                let says = row.map { "\($0.name) \($0.maximum)" } ?? "nothing"
                try context.report("history-counter", table, "Z_PRIMARYKEY says \(says), highest row \(highest)")
            }
        }
    }
}
