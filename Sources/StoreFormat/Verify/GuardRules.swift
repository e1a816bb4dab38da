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
        let expected = names(of: rows)
        // Others of the file's tables may be guarded too.
        for name in found.subtracting(names(of: context.tables.names)).sorted() {
            try context.report("guard", name, "guards no table of this store")
        }
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

    private static func names(of tables: some Sequence<String>) -> Set<String> {
        Set(tables.flatMap { table in ["INSERT", "UPDATE", "DELETE"].map { "COEXIST_GUARD_\(table)_\($0)" } })
    }

    private static func mode(_ context: VerifyContext) throws -> GuardMode? {
        guard context.tables["COEXIST_STATE"] != nil else { return nil }
        let text = try context.connection.scalar("SELECT GUARD FROM COEXIST_STATE")?.textValue
        return text.flatMap(GuardMode.init(rawValue:)) ?? .always
    }
}
