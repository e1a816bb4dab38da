import SQLite

/// The columns that every row has (Format, sections 2 and 3).
enum RowRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        var checks: [RowCheck] = []
        for root in context.roots {
            guard let table = context.table(root.name) else { continue }
            let tree = context.treeNumbers(root.name)
            checks.append(
                RowCheck(
                    rule: "row-key", table: table, condition: "r.Z_PK < 1",
                    what: "'Z_PK is not a positive number'"))
            checks.append(
                RowCheck(
                    rule: "row-entity", table: table, condition: "r.Z_ENT IS NULL OR r.Z_ENT NOT IN \(tree.sqlList)",
                    what: "'Z_ENT ' || ifnull(r.Z_ENT, 'NULL') || ' is not of this table'"))
            for entity in context.model.tree(of: root.name) where entity.isAbstract {
                guard let number = context.number(entity.name) else { continue }
                checks.append(
                    RowCheck(
                        rule: "row-abstract", table: table, condition: "r.Z_ENT = \(number)",
                        what: "an object of the abstract entity \(entity.name)".sqlLiteral))
            }
            checks.append(
                RowCheck(
                    rule: "row-version", table: table, condition: "typeof(r.Z_OPT) <> 'integer' OR r.Z_OPT < 1",
                    what: "'Z_OPT is not a positive number'"))
        }
        try context.check(checks)
    }
}
