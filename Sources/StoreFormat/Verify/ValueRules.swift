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
        try context.check(checks)
    }

    private static func broken(
        _ leaf: AttributeDescription, _ value: String
    ) -> [(rule: String, condition: String, what: String)] {
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
        case .string, .uri: return [kind("text")]
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
        case .decimal, .double, .float, .date:
            return [
                (
                    "value-class", "typeof(\(value)) NOT IN ('real', 'integer')",
                    "typeof(\(value)) || ', expected a number'"
                )
            ]
        case .undefined, .objectID, .composite: return []
        }
    }
}
