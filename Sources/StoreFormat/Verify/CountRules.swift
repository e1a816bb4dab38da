import SQLite
import StoreModel

/// How many objects the model's author asked a to-many relationship to have. Like the rules about values it is asked when an
/// object is saved, and so what does not hold is a warning. An optional relationship may always be empty.
enum CountRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        var checks: [RowCheck] = []
        for entity in context.store.layout.entities {
            for relationship in entity.relationships
            where relationship.isToMany && relationship.declaringEntity == entity.name {
                guard let count = count(relationship.storage) else { continue }
                let description = relationship.description
                func check(_ condition: String, _ word: String) {
                    checks.append(
                        RowCheck(
                            rule: "relationship-count", table: entity.table, suffix: ".\(relationship.name)",
                            condition: "r.Z_ENT IN \(entity.treeNumbers.sqlList) AND \(count) \(condition)",
                            what: "\(count) || \(" objects, \(word)".sqlLiteral)", severity: .warning))
                }
                let least = description.minCount
                if least > 0 {
                    let floor = description.isOptional ? 1 : 0
                    check("BETWEEN \(floor) AND \(least - 1)", "fewer than the minimum \(least)")
                }
                if description.maxCount > 0 {
                    check("> \(description.maxCount)", "more than the maximum \(description.maxCount)")
                }
            }
        }
        try context.check(checks)
    }

    /// An SQL expression for how many objects the row `r` has.
    private static func count(_ storage: RelationshipLayout.Storage) -> String? {
        switch storage {
        case .toManyByInverse(let key), .toManyWithoutInverse(let key):
            """
            (SELECT count(*) FROM \(key.table.sqlIdentifier) d
            WHERE d.\(key.keyColumn.sqlIdentifier) = r.Z_PK AND d.Z_ENT IN \(key.entityNumbers.sqlList))
            """
        case .manyToMany(let join):
            "(SELECT count(*) FROM \(join.table.sqlIdentifier) j WHERE j.\(join.ownColumn.sqlIdentifier) = r.Z_PK)"
        case .toOne, .absent: nil
        }
    }
}
