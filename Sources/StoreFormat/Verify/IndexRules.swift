import SQLite
import StoreModel

/// The indexes that Core Data's own queries count on (Format, section 4).
enum IndexRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        var indexes: Set<String> = []
        try context.rows("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL") { row in
            if let name = row.text(0) { indexes.insert(name) }
        }
        func expect(_ name: String, on table: String) throws {
            if !indexes.contains(name) { try context.report("index-missing", table, name) }
        }
        for root in context.roots {
            guard let resolved = context.plans[root.name], resolved.exists else { continue }
            let table = resolved.plan.table
            for column in resolved.plan.columns
            where column.purpose.role == .foreignKey || column.purpose.role == .ownerKey {
                if let name = resolved.column[column.purpose] { try expect("\(table)_\(name)_INDEX", on: table) }
            }
        }
        // Before framework 865 a constraint stood in the table's own text.
        guard context.store.metadata.frameworkVersion ?? 0 >= 865 else { return }
        for entity in context.entities {
            guard let table = context.table(entity.name) else { continue }
            for names in entity.uniquenessConstraints where !names.isEmpty {
                try expect("Z_\(entity.name)_UNIQUE_\(names.joined(separator: "_"))", on: table)
            }
        }
    }
}
