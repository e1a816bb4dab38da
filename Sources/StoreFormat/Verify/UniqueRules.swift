import SQLite
import StoreModel

/// Uniqueness constraints (Format, section 4).
enum UniqueRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        for entity in context.entities {
            guard let table = context.table(entity.name) else { continue }
            let chain = context.model.inheritanceChain(of: entity.name).map(\.name)
            for names in entity.uniquenessConstraints where !names.isEmpty {
                let columns = names.compactMap { name in
                    chain.lazy.compactMap { column($0, name, context) }.first?.sqlIdentifier
                }
                guard columns.count == names.count else { continue }
                let list = columns.joined(separator: ", ")
                let isSet = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
                let sql = """
                    SELECT count(*), min(Z_PK), \(list) FROM \(table.sqlIdentifier)
                    WHERE Z_ENT IN \(context.treeNumbers(entity.name).sqlList) AND \(isSet)
                    GROUP BY \(list) HAVING count(*) > 1 ORDER BY min(Z_PK)
                    """
                try context.reporting(damagedIn: table) {
                    try context.rows(sql) { row in
                        try context.report(
                            "unique", "\(table) \(row.integer(1)).\(names.joined(separator: ","))",
                            "\(row.integer(0)) rows with the same value")
                    }
                }
            }
        }
    }

    private static func column(_ entity: String, _ name: String, _ context: VerifyContext) -> String? {
        context.column(entity, name, .attribute(leaf: 0)) ?? context.column(entity, name, .foreignKey)
    }
}
