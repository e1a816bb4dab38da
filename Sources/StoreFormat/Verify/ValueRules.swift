import SQLite
import StoreModel

/// What stands in attribute columns (Format, section 3.2).
enum ValueRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        var checks: [RowCheck] = []
        for entity in context.entities {
            guard let table = context.table(entity.name) else { continue }
            let kind = "r.Z_ENT IN \(context.treeNumbers(entity.name).sqlList)"
            for attribute in entity.attributes where !attribute.isTransient {
                for (i, leaf) in ColumnPlan.leaves(of: attribute).enumerated() {
                    guard let name = context.column(entity.name, attribute.name, .attribute(leaf: i)) else { continue }
                    let suffix = ".\(attribute.name)" + (attribute.isComposite ? ".\(leaf.name)" : "")
                    let value = name.ofRow
                    for (rule, condition, what) in broken(leaf, value) {
                        checks.append(
                            RowCheck(
                                rule: rule, table: table, suffix: suffix,
                                condition: "\(kind) AND \(value) IS NOT NULL AND \(condition)", what: what))
                    }
                    if !attribute.isOptional, !attribute.isDerived, !attribute.isComposite {
                        checks.append(
                            RowCheck(
                                rule: "value-mandatory", table: table, suffix: suffix,
                                condition: "\(kind) AND \(value) IS NULL", what: "'mandatory, but null'"))
                    }
                }
            }
        }
        try context.check(checks + strangers(context))
    }

    /// Values in columns that only other entities of the table have: nobody reads them, and a key among them keeps
    /// objects together that have nothing to do with each other.
    private static func strangers(_ context: VerifyContext) -> [RowCheck] {
        context.roots.flatMap { root -> [RowCheck] in
            guard let plan = context.plans[root.name], plan.exists else { return [] }
            let tree = Set(context.treeNumbers(root.name))
            return plan.plan.columns.compactMap { column in
                guard let name = plan.column[column.purpose] else { return nil }
                let purpose = column.purpose
                // Triggers keep a derived attribute in every row of the table, whatever its entity (Format, section 5).
                let isDerived = context.model[purpose.entity]?.attributes.contains {
                    $0.name == purpose.property && $0.isDerived
                }
                if isDerived == true { return nil }
                let holder = context.holder(of: purpose)
                let others = tree.subtracting(context.treeNumbers(holder)).sorted()
                guard !others.isEmpty else { return nil }
                return RowCheck(
                    rule: "value-entity", table: plan.plan.table, suffix: ".\(purpose.property)",
                    condition: "\(name.ofRow) IS NOT NULL AND r.Z_ENT IN \(others.sqlList)",
                    what: "\("\(name) is of \(holder), but the row is of the entity ".sqlLiteral) || r.Z_ENT")
            }
        }
    }

    /// What can be wrong with a value of a type: conditions that are true where it is.
    static func broken(
        _ leaf: AttributeDescription, _ value: String
    ) -> [(rule: String, condition: String, what: String)] {
        let number = (
            "value-class", "typeof(\(value)) NOT IN ('real', 'integer')", "typeof(\(value)) || ', expected a number'"
        )
        let isInfinite = "\(value) IN (9e999, -9e999)"
        func kind(_ kind: String) -> (String, String, String) {
            ("value-class", "typeof(\(value)) <> '\(kind)'", "typeof(\(value)) || ', expected \(kind)'")
        }
        func range(_ bits: Int) -> (String, String, String) {
            let limit = Int64(1) << (bits - 1)
            return (
                "value-range", "(\(value) < \(-limit) OR \(value) >= \(limit))", "\(value) || ' does not fit'"
            )
        }
        switch leaf.type {
        case .integer16: return [kind("integer"), range(16)]
        case .integer32: return [kind("integer"), range(32)]
        case .integer64: return [kind("integer")]
        case .boolean:
            return [kind("integer"), ("value-range", "\(value) NOT IN (0, 1)", "'boolean ' || \(value)")]
        case .string, .uri:
            let isBroken = "typeof(\(value)) = 'text' AND NOT \(VerifyContext.textCheck)(\(value))"
            return [kind("text"), ("value-text", isBroken, "'its text is not valid UTF-8'")]
        case .transformable: return [kind("blob")]
        case .uuid:
            return [kind("blob"), ("value-uuid", "length(\(value)) <> 16", "length(\(value)) || ' bytes'")]
        case .binaryData:
            guard leaf.allowsExternalBinaryDataStorage else { return [kind("blob")] }
            return [
                kind("blob"),
                (
                    "value-external", "(length(\(value)) = 0 OR substr(\(value), 1, 1) NOT IN (x'01', x'02'))",
                    "'neither inline (1) nor a reference (2)'"
                ),
            ]
        case .decimal:
            // The largest one is 2^128 - 1 with 127 zeros.
            let isTooLarge = "typeof(\(value)) = 'real' AND abs(\(value)) > 3.4028236692093847e165"
            return [
                number, ("value-range", isInfinite, "'infinite, which is no decimal'"),
                ("value-range", "\(isTooLarge) AND NOT \(isInfinite)", "\(value) || ' is more than a decimal holds'"),
            ]
        case .double: return [number]
        case .float:
            // An infinite one is a Float too.
            let isTooLarge = "typeof(\(value)) = 'real' AND abs(\(value)) > 3.4028235677973366e38 AND NOT \(isInfinite)"
            return [number, ("value-range", isTooLarge, "\(value) || ' does not fit a Float'")]
        case .date: return [number, ("value-date", isInfinite, "'infinite, which is no date'")]
        case .undefined, .objectID, .composite: return []
        }
    }
}
