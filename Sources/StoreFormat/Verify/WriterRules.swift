import SQLite

/// The record of who wrote which transaction, of handovers and consumers.
enum WriterRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        guard CoexistenceTables.names.allSatisfy({ context.tables[$0] != nil }), context.store.historyForm.isTracked
        else { return }
        let last = try HistoryReader(context.connection, store: context.store).last()
        try transactions(context)
        try epochs(context)
        try commits(context)
        try counter(context)
        try gaps(context)
        // A row that is missing is another rule's to tell.
        if try context.connection.scalar("SELECT FORM FROM COEXIST_STATE")?.integerValue == CoexistenceTables.form {
            for what in try CoexistenceState.contradictions(context.connection) {
                try context.report("coexist-state", "COEXIST_STATE", what.text)
            }
        }
        try numbers("COEXIST_HANDOVER", "ID", "coexist-handover", upTo: last, context)
        try numbers("COEXIST_CONSUMER", "NAME", "coexist-consumer", upTo: last, context)
        let sql = "SELECT ID FROM COEXIST_HANDOVER WHERE UNIT NOT IN (SELECT NAME FROM COEXIST_UNIT) ORDER BY ID"
        try context.rows(sql) { row in
            try context.report("coexist-handover", row.text(0) ?? "", "of a unit that is not in the register")
        }
    }

    private static func transactions(_ context: VerifyContext) throws {
        let stacks = StackName.allCases.map(\.rawValue.sqlLiteral).joined(separator: ", ")
        let sql = """
            SELECT w.NUMBER, CASE
                WHEN w.STACK NOT IN (\(stacks)) THEN 'written by ' || w.STACK || ', which is no stack'
                WHEN w.INSTANCE = '' THEN 'written by an instance without a name'
                WHEN w.NUMBER > (SELECT PURGE_FLOOR FROM COEXIST_STATE)
                    AND NOT EXISTS (SELECT 1 FROM ATRANSACTION t WHERE t.Z_PK = w.NUMBER)
                    THEN 'its transaction does not exist, and was not purged'
                WHEN w.CAUSE IS NOT NULL AND w.CAUSE > (SELECT PURGE_FLOOR FROM COEXIST_STATE)
                    AND NOT EXISTS (SELECT 1 FROM COEXIST_TRANSACTION c WHERE c.NUMBER = w.CAUSE)
                    THEN 'its cause ' || w.CAUSE || ' does not exist'
                END AS wrong
            FROM COEXIST_TRANSACTION w WHERE wrong IS NOT NULL ORDER BY w.NUMBER
            """
        try context.rows(sql) { row in
            try context.report("coexist-transaction", "COEXIST_TRANSACTION \(row.integer(0))", row.text(1) ?? "")
        }
    }

    /// The epochs that a transaction was written at are those of units, and none lies in the future.
    private static func epochs(_ context: VerifyContext) throws {
        guard let register = try? OwnershipRegister.read(context.connection) else { return }
        try context.rows("SELECT EPOCHS, min(NUMBER) FROM COEXIST_TRANSACTION GROUP BY EPOCHS ORDER BY 2") { row in
            for line in (row.text(0) ?? "").split(separator: "\n") {
                let parts = line.split(separator: "=")
                let unit = parts.first.flatMap { register.units[String($0)] }
                guard parts.count == 2, let epoch = Int64(parts[1]), let unit, epoch >= 1, epoch <= unit.epoch else {
                    try context.report(
                        "coexist-transaction", "COEXIST_TRANSACTION \(row.integer(1))",
                        "\(line) is no unit and epoch of the register")
                    continue
                }
            }
        }
    }

    /// Each commit of ours counts once, and writes at most one transaction that no other caused.
    private static func commits(_ context: VerifyContext) throws {
        let sql = """
            SELECT COMMITS, (SELECT count(*) FROM COEXIST_TRANSACTION WHERE CAUSE IS NULL) AS written FROM COEXIST_STATE
            WHERE COMMITS < written
            """
        try context.rows(sql) { row in
            try context.report(
                "coexist-state", "COEXIST_STATE",
                "COMMITS is \(row.integer(0)), but \(row.integer(1)) saves are recorded")
        }
    }

    /// The counter has handed out every number that is recorded, also those of transactions that were purged.
    private static func counter(_ context: VerifyContext) throws {
        let sql = """
            SELECT max((SELECT PURGE_FLOOR FROM COEXIST_STATE), ifnull((SELECT max(NUMBER) FROM COEXIST_TRANSACTION), 0)),
                max(ifnull((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(Catalogue.transactionNumber)), 0),
                    ifnull((SELECT max(Z_PK) FROM ATRANSACTION), 0))
            """
        try context.rows(sql) { row in
            guard row.integer(0) > row.integer(1) else { return }
            try context.report(
                "history-counter", "ATRANSACTION",
                "Z_PRIMARYKEY says \(row.integer(1)), but number \(row.integer(0)) was handed out")
        }
    }

    /// Numbers follow one another without a gap from one transaction of ours to the next, unless others write too. A
    /// restore leaves one on purpose, and records it.
    private static func gaps(_ context: VerifyContext) throws {
        let sql = """
            WITH known AS (
                SELECT NUMBER, lag(NUMBER) OVER (ORDER BY NUMBER) AS before FROM COEXIST_TRANSACTION
                WHERE NUMBER > (SELECT PURGE_FLOOR FROM COEXIST_STATE))
            SELECT before + 1, NUMBER - 1 FROM known
            WHERE NUMBER > before + 1 AND (SELECT GUARD = 'always' FROM COEXIST_STATE)
                AND NOT EXISTS (SELECT 1 FROM ATRANSACTION t WHERE t.Z_PK > before AND t.Z_PK < NUMBER)
            ORDER BY NUMBER
            """
        let skipped = try SkippedNumbers.read(context.connection)
        try context.rows(sql) { row in
            for gap in SkippedNumbers.rest(of: row.integer(0)...row.integer(1), without: skipped) {
                try context.report(
                    "coexist-transaction", "COEXIST_TRANSACTION \(gap.lowerBound)",
                    "the transactions \(gap.lowerBound) to \(gap.upperBound) are gone from history and from the record")
            }
        }
    }

    private static func numbers(
        _ table: String, _ key: String, _ rule: String, upTo last: Int64, _ context: VerifyContext
    ) throws {
        let sql = "SELECT \(key), NUMBER FROM \(table) WHERE NUMBER < 0 OR NUMBER > \(last) ORDER BY 1"
        try context.rows(sql) { row in
            try context.report(
                rule, row.text(0) ?? "", "at transaction \(row.integer(1)), but history ends at \(last)")
        }
    }
}
