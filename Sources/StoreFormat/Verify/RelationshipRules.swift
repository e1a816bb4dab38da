import SQLite
import StoreModel

/// Keys that rows hold of other rows (Format, section 3.3).
enum RelationshipRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        var checks: [RowCheck] = []
        for entity in context.entities {
            for relationship in entity.relationships where !relationship.isTransient {
                if !relationship.isToMany {
                    checks += toOne(entity, relationship, context)
                } else if relationship.inverseName == nil {
                    checks += ownerKey(entity, relationship, context)
                }
            }
        }
        try context.check(checks)
    }

    private static func toOne(
        _ entity: EntityDescription, _ relationship: RelationshipDescription, _ context: VerifyContext
    ) -> [RowCheck] {
        guard let table = context.table(entity.name),
            let column = context.column(entity.name, relationship.name, .foreignKey)
        else { return [] }
        let key = column.ofRow
        let destination = relationship.destinationEntityName
        let isHeld = "r.Z_ENT IN \(context.treeNumbers(entity.name).sqlList) AND \(key) IS NOT NULL"
        func check(_ rule: String, _ condition: String, _ what: String) -> RowCheck {
            RowCheck(
                rule: rule, table: table, suffix: ".\(relationship.name)", condition: "\(isHeld) AND \(condition)",
                what: what)
        }
        let dangling = "\("\(destination) ".sqlLiteral) || \(key) || ' does not exist'"
        let emptiness = emptiness(entity, relationship, table, key, context)
        guard let other = context.table(destination)?.sqlIdentifier else {
            return emptiness + [check("dangling", "1", dangling)]
        }
        let kind = "(SELECT d.Z_ENT FROM \(other) d WHERE d.Z_PK = \(key))"
        let exists = "EXISTS (SELECT 1 FROM \(other) d WHERE d.Z_PK = \(key))"
        var checks = emptiness
        checks += [
            check("dangling", "NOT \(exists)", dangling),
            check(
                "wrong-entity", "\(kind) NOT IN \(context.treeNumbers(destination).sqlList)",
                "\(key) || ' is of the entity ' || \(kind)"),
        ]
        if let name = context.column(entity.name, relationship.name, .foreignEntity) {
            checks.append(
                check(
                    "polymorphic-key", "\(exists) AND \(name.ofRow) IS NOT \(kind)",
                    "'\(name) is ' || ifnull(\(name.ofRow), 'NULL') || ', the row is ' || \(kind)"))
        }
        if let inverse = relationship.inverseName,
            let back = context.declaration(of: inverse, in: destination), !back.relationship.isToMany,
            let backColumn = context.column(back.entity, inverse, .foreignKey)
        {
            checks.append(
                check(
                    "inverse",
                    "EXISTS (SELECT 1 FROM \(other) d WHERE d.Z_PK = \(key) AND d.\(backColumn.sqlIdentifier) IS NOT r.Z_PK)",
                    "\("\(destination) ".sqlLiteral) || \(key) || ' does not point back'"))
        }
        return checks
    }

    /// What must hold where there is no key: a required one is there, and nothing is left of one that went.
    private static func emptiness(
        _ entity: EntityDescription, _ relationship: RelationshipDescription, _ table: String, _ key: String,
        _ context: VerifyContext
    ) -> [RowCheck] {
        let isEmpty = "r.Z_ENT IN \(context.treeNumbers(entity.name).sqlList) AND \(key) IS NULL"
        var checks: [RowCheck] = []
        func check(_ rule: String, _ condition: String, _ what: String) {
            checks.append(
                RowCheck(
                    rule: rule, table: table, suffix: ".\(relationship.name)", condition: condition, what: what))
        }
        if !relationship.isOptional { check("relationship-mandatory", isEmpty, "'mandatory, but null'") }
        if let name = context.column(entity.name, relationship.name, .foreignEntity) {
            check(
                "polymorphic-key", "\(isEmpty) AND \(name.ofRow) IS NOT NULL",
                "'\(name) is ' || \(name.ofRow) || ' without a key'")
        }
        if let name = context.column(entity.name, relationship.name, .order) {
            check(
                "order-without-key", "\(isEmpty) AND \(name.ofRow) IS NOT NULL",
                "'\(name) is ' || \(name.ofRow) || ' without a key'")
        }
        return checks
    }

    /// The key of a to-many without inverse lies in its destination's row.
    private static func ownerKey(
        _ entity: EntityDescription, _ relationship: RelationshipDescription, _ context: VerifyContext
    ) -> [RowCheck] {
        guard let table = context.table(relationship.destinationEntityName),
            let column = context.column(entity.name, relationship.name, .ownerKey)
        else { return [] }
        let key = column.ofRow
        let numbers = context.treeNumbers(entity.name).sqlList
        let exists = context.table(entity.name).map {
            "EXISTS (SELECT 1 FROM \($0.sqlIdentifier) d WHERE d.Z_PK = \(key) AND d.Z_ENT IN \(numbers))"
        }
        return [
            RowCheck(
                rule: "dangling", table: table, suffix: ".\(column)",
                condition: "\(key) IS NOT NULL" + (exists.map { " AND NOT \($0)" } ?? ""),
                what: "\("\(entity.name) ".sqlLiteral) || \(key) || ' does not exist'")
        ]
    }
}
