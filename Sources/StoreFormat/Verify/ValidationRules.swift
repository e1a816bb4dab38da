import Foundation
import SQLite
import StoreModel

/// What the model's author asked of values: bounds, lengths, patterns, and other rules of single values. The framework asks it when an object is saved,
/// not when it is read, and a model may get stricter; so what does not hold is a warning.
enum ValidationRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        var checks: [RowCheck] = []
        for entity in context.entities {
            guard let table = context.table(entity.name) else { continue }
            let kind = "r.Z_ENT IN \(context.treeNumbers(entity.name).sqlList)"
            for attribute in entity.attributes where !attribute.isTransient && !attribute.isComposite {
                guard let column = context.column(entity.name, attribute.name, .attribute(leaf: 0)) else { continue }
                try context.reporting(damagedIn: table) {
                    try further(attribute, of: entity.name, table, kind, column, context)
                }
                if attribute.type == .string {
                    try context.reporting(damagedIn: table) { try texts(attribute, table, kind, column, context) }
                    continue
                }
                checks += bounds(attribute, table, kind, column)
                if attribute.type == .date { checks.append(calendar(attribute, table, kind, column)) }
            }
        }
        try context.check(checks)
    }

    /// Rules beyond bounds and patterns, as far as they can be evaluated on a value alone.
    private static func further(
        _ attribute: AttributeDescription, of entity: String, _ table: String, _ kind: String, _ column: String,
        _ context: VerifyContext
    ) throws {
        let rules = attribute.furtherValidations.compactMap { validation in
            ValueRule(validation.predicateFormat).map { (rule: $0, format: validation.predicateFormat) }
        }
        guard !rules.isEmpty, !attribute.isDerived,
            let leaf = context.store.layout[entity]?.attribute(attribute.name)?.leaf
        else { return }
        let sql = """
            SELECT r.Z_PK, \(column.ofRow) FROM \(table.sqlIdentifier) r
            WHERE \(kind) AND \(column.ofRow) IS NOT NULL ORDER BY r.Z_PK
            """
        try context.rows(sql) { row in
            let stored = ValueCoding.decode(row.value(1), as: leaf, external: context.store.externalData)
            // What is no value of the attribute's has been said by other rules.
            if case .unexpected? = stored { return }
            let value = PredicateConstant.column(stored)
            for (rule, format) in rules where !value.isNull && !rule.holds(of: value, as: leaf) {
                try context.report(
                    "value-validation", "\(table) \(row.integer(0)).\(attribute.name)",
                    "it does not hold to `\(format)`",
                    .warning)
            }
        }
    }

    private static func bounds(
        _ attribute: AttributeDescription, _ table: String, _ kind: String, _ column: String
    ) -> [RowCheck] {
        let value = column.ofRow
        func check(_ bound: ModelValue?, _ sign: String, _ word: String) -> RowCheck? {
            guard let bound = bound.flatMap(number) else { return nil }
            return RowCheck(
                rule: "value-validation", table: table, suffix: ".\(attribute.name)",
                condition: "\(kind) AND typeof(\(value)) IN ('integer', 'real') AND \(value) \(sign) \(bound)",
                what: "\(value) || ', \(word) \(bound)'", severity: .warning)
        }
        return [
            check(attribute.minimum, "<", "less than the minimum"),
            check(attribute.maximum, ">", "more than the maximum"),
        ].compactMap { $0 }
    }

    /// Foundation shows every date before the Julian day 0, or after the year 506713, as if it were that day.
    private static func calendar(
        _ attribute: AttributeDescription, _ table: String, _ kind: String, _ column: String
    ) -> RowCheck {
        let value = column.ofRow
        return RowCheck(
            rule: "value-date", table: table, suffix: ".\(attribute.name)",
            condition: """
                \(kind) AND typeof(\(value)) IN ('integer', 'real') AND \(value) NOT IN (9e999, -9e999)
                AND \(value) NOT BETWEEN -211845067200 AND 15927175497600
                """,
            what: "\(value) || ' seconds from 2001, beyond the dates that Foundation can show'", severity: .warning)
    }

    private static func number(_ value: ModelValue) -> String? {
        switch value {
        case .integer(let value): "\(value)"
        case .double(let value): value.isFinite ? "\(value)" : nil
        case .decimal(let value): value.isNaN ? nil : NSDecimalNumber(decimal: value).stringValue
        case .date(let value):
            value.timeIntervalSinceReferenceDate.isFinite ? "\(value.timeIntervalSinceReferenceDate)" : nil
        default: nil
        }
    }

    /// The bounds of a text are those of its length, in the units that `NSString` counts.
    private static func texts(
        _ attribute: AttributeDescription, _ table: String, _ kind: String, _ column: String, _ context: VerifyContext
    ) throws {
        func length(_ value: ModelValue?) -> Int? {
            if case .integer(let value)? = value { Int(exactly: value) } else { nil }
        }
        let (least, most, pattern) = (length(attribute.minimum), length(attribute.maximum), attribute.regularExpression)
        guard least != nil || most != nil || pattern != nil else { return }
        let sql = """
            SELECT r.Z_PK, \(column.ofRow) FROM \(table.sqlIdentifier) r
            WHERE \(kind) AND typeof(\(column.ofRow)) = 'text' ORDER BY r.Z_PK
            """
        try context.rows(sql) { row in
            let text = row.text(1) ?? ""
            func report(_ what: String) throws {
                try context.report(
                    "value-validation", "\(table) \(row.integer(0)).\(attribute.name)", what, .warning)
            }
            let count = text.utf16.count
            if let least, count < least { try report("\(count) characters, less than the minimum \(least)") }
            if let most, count > most { try report("\(count) characters, more than the maximum \(most)") }
            if let pattern, !TextMatch.matches(text, .matches, pattern, []) {
                try report("it does not match \(pattern)")
            }
        }
    }
}
