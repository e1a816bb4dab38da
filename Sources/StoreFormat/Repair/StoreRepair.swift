import SQLite
import StoreModel

/// Mends what can be mended without a choice: counters that are behind, indexes that are missing or stale, external files
/// that something left which was broken off. No row is touched.
public enum StoreRepair {
    /// Repairs, under the store's lock.
    /// - Returns: what was done, a sentence each; empty if there was nothing to do.
    /// - Throws: `StoreError`: `Busy` beside a daemon, and what SQLite reports.
    public static func repair(_ store: Store) throws -> [String] {
        let lock = try StoreLock(storePath: store.path)
        defer { lock.release() }
        StoreLeftovers.settle(store.path)
        return try StoreConnector.translating(store.path) {
            let connection = try StoreConnector.connect(store.path, .writer(.full))
            let files = try ExternalFileJournal.recover(store, connection)
            let left = files == 0 ? [] : ["external files of something that was broken off were removed: \(files)"]
            return try left
                + connection.transaction(.immediate) {
                    let done = try mend(try store.rereadInTransaction(connection), connection)
                    if !done.isEmpty, try CoexistenceTables.has("COEXIST_STATE", connection) {
                        try CoexistenceState.countCommit(connection)
                    }
                    return done
                }
        }
    }

    /// Mends tables' counters and indexes, in a write transaction.
    static func mend(_ store: Store, _ connection: Connection) throws -> [String] {
        let work = Work(store: store, connection: connection)
        return try work.counters() + work.historyCounters() + work.missingIndexes() + work.staleIndexes()
    }

    private struct Work {
        let store: Store
        let connection: Connection

        func counters() throws -> [String] {
            let roots = store.layout.roots
            let hasHistory = HistoryKeys.areIn(try TableColumns(connection, of: ["ACHANGE"])["ACHANGE"])
            let seen = hasHistory ? try HistoryKeys.highest(of: roots.map(\.treeNumbers), connection) : []
            return try roots.enumerated().compactMap { i, root in
                let highest = max(try highest(in: root.table), hasHistory ? seen[i] : 0)
                let counter = store.catalogue.rows.first { $0.number == root.rootNumber }?.maximum ?? 0
                guard highest > counter else { return nil }
                try connection.run(
                    "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
                    [.integer(highest), .integer(root.rootNumber)])
                return "Z_MAX of \(root.name) was \(counter) and is \(highest) now"
            }
        }

        func historyCounters() throws -> [String] {
            guard store.historyForm.isTracked else { return [] }
            let tables = try TableColumns(connection)
            let adopted = try CoexistenceTables.missing(connection)?.isEmpty ?? false
            let numbers = [
                (Catalogue.changeNumber, "CHANGE"), (Catalogue.transactionNumber, "TRANSACTION"),
                (Catalogue.transactionStringNumber, "TRANSACTIONSTRING"),
            ]
            return try numbers.compactMap { number, name in
                guard tables["A\(name)"] != nil else { return nil }
                var highest = try highest(in: "A\(name)")
                if adopted, number == Catalogue.transactionNumber {
                    highest = max(highest, try HistoryAppender.recorded(connection))
                }
                let counter = store.catalogue.rows.first { $0.number == number }?.maximum ?? 0
                guard highest > counter else { return nil }
                try connection.run(
                    """
                    INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, ?)
                    ON CONFLICT (Z_ENT) DO UPDATE SET Z_MAX = excluded.Z_MAX
                    """, [.integer(number), .text(name), .integer(highest)])
                return "Z_MAX of \(name) was \(counter) and is \(highest) now"
            }
        }

        private func highest(in table: String) throws -> Int64 {
            try connection.scalar("SELECT max(Z_PK) FROM \(table.sqlIdentifier)")?.integerValue ?? 0
        }

        func missingIndexes() throws -> [String] {
            let framework = store.metadata.frameworkVersion ?? 0
            let tables = try TableColumns(connection)
            try SchemaNames.require(store.model)
            var plans = SchemaPlan(store.model, numbers: store.catalogue.numbers).indexPlans
                .filter { IndexRules.isKept($0.kind, framework: framework) }
            if case .interned = store.historyForm { plans += HistoryTables.indexes }
            return try plans.compactMap { plan in
                guard let columns = tables[plan.table], plan.columns.allSatisfy({ columns.contains($0.name) }),
                    try connection.scalar("SELECT 1 FROM sqlite_master WHERE name = ?", [.text(plan.name)]) == nil
                else { return nil }
                do {
                    try connection.savepoint("repair") { try connection.executeOne(plan.statement) }
                } catch let error as SQLiteError where error.isConstraint {
                    // Rows break the constraint: which of them is right is not for us to say.
                    return nil
                }
                return "the index \(plan.name) was missing and is made anew"
            }
        }

        /// Indexes that do not agree with their tables are filled anew, if the file has no other damage.
        func staleIndexes() throws -> [String] {
            var tried: Set<String> = []
            var done: [String] = []
            // The list of problems has an end, and what is mended makes room for others.
            while true {
                let problems = try connection.integrityProblems()
                guard !problems.isEmpty, problems.allSatisfy(StoreHealth.isIndexAlone) else { return done }
                let names = Set(problems.compactMap { $0.split(separator: " ").last.map(String.init) })
                guard !names.isSubset(of: tried) else { return done }
                for name in names.subtracting(tried).sorted() {
                    tried.insert(name)
                    do {
                        try connection.savepoint("repair") { try connection.execute("REINDEX \(name.sqlIdentifier)") }
                        done.append("the index \(name) did not agree with its table and is filled anew")
                    } catch let error as SQLiteError where error.isConstraint {
                        // Rows break the constraint: which of them is right is not for us to say.
                    }
                }
            }
        }
    }
}
