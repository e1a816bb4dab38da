import SQLite

/// The triggers that refuse or note the rows of connections that are not ours.
enum GuardRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        var found: Set<String> = []
        try context.rows("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'COEXIST_*'") { row in
            if let name = row.text(0) { found.insert(name) }
        }
        guard let mode = try mode(context) else {
            for name in found.sorted() {
                try context.report("guard", name, "a trigger of ours in a store that is not adopted")
            }
            return
        }
        let rows = Set(context.store.layout.roots.map(\.table)).union(
            OwnershipUnits.joinTables(context.store.layout).keys)
        let expected = names(of: rows.union(others(context, mode)))
        // Others of the file's tables may be guarded too.
        for name in found.subtracting(names(of: context.tables.names)).sorted() {
            try context.report("guard", name, "guards no table of this store")
        }
        if mode != .off { try altered(mode, found, context) }
        let missing = expected.subtracting(found)
        switch mode {
        case .always, .record:
            for name in missing.sorted() {
                try context.report("guard", name, "missing, though the guard is \(mode.rawValue)")
            }
        case .whileRunning:
            // There from the daemon's start to its stop, and after a kill to the next start: all or none.
            guard missing != expected else { return }
            for name in missing.sorted() { try context.report("guard", name, "missing, though others are there") }
        case .off:
            for name in found.sorted() { try context.report("guard", name, "there, though the guard is off") }
        }
    }

    /// A trigger that does not do what the mode says.
    private static func altered(_ mode: GuardMode, _ found: Set<String>, _ context: VerifyContext) throws {
        let does = mode == .record ? "INSERT INTO COEXIST_FOREIGN" : "SELECT RAISE(ABORT"
        let sql = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'COEXIST_*'"
        try context.rows(sql + " ORDER BY name") { row in
            guard let name = row.text(0), let table = row.text(1), let text = row.text(2) else { return }
            let event = name.split(separator: "_").last.map(String.init) ?? ""
            let isSound =
                name == "COEXIST_GUARD_\(table)_\(event)" && text.contains(" \(event) ON ")
                && text.contains("BEGIN \(does)") && !text.contains(" WHEN ")
            if !isSound {
                try context.report("guard-altered", name, "it does not do what the guard's mode \(mode.rawValue) says")
            }
        }
    }

    /// The tables beside the objects': the catalogue, history, and ours. What the guard notes is noted in one of them, which
    /// it then leaves alone.
    private static func others(_ context: VerifyContext, _ mode: GuardMode) -> [String] {
        let tables = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]
        return (tables + CoexistenceTables.names).filter {
            context.tables[$0] != nil && !(mode == .record && $0 == "COEXIST_FOREIGN")
        }
    }

    private static func names(of tables: some Sequence<String>) -> Set<String> {
        Set(tables.flatMap { table in ["INSERT", "UPDATE", "DELETE"].map { "COEXIST_GUARD_\(table)_\($0)" } })
    }

    private static func mode(_ context: VerifyContext) throws -> GuardMode? {
        guard context.tables["COEXIST_STATE"] != nil else { return nil }
        let text = try context.connection.scalar("SELECT GUARD FROM COEXIST_STATE")?.textValue
        return text.flatMap(GuardMode.init(rawValue:)) ?? .always
    }
}
