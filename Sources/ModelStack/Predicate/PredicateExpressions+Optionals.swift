import Foundation
import StoreFormat

extension PredicateExpressions.NilCoalesce: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        let left = try translator.translate(lhs)
        let right = try translator.translate(rhs)
        if translator.isNil(left) { return right }
        if case .elements = left { return left }
        let sql =
            "ifnull(\(try translator.sql(left, beside: right, self)), \(try translator.sql(right, beside: left, self)))"
        if Output.self == Bool.self { return .condition(sql) }
        guard case .term(let term) = left else { return .term(SQLTerm(sql: sql, kind: .other)) }
        return .term(SQLTerm(sql: sql, kind: term.kind))
    }
}

extension PredicateExpressions.ForcedUnwrap: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        // A row without the value meets no condition; in memory Swift would stop here.
        try translator.translate(inner)
    }
}

extension PredicateExpressions.OptionalFlatMap: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        let operand = try translator.translate(wrapped)
        translator.variables[variable.key] = operand
        let result = try translator.translate(transform)
        switch (operand, result) {
        case (.elements, _), (.value, _): return result
        case (_, .term(let term)):
            // What is reached through a missing object is NULL by itself.
            if term.leaf != nil || term.isObject { return result }
            if case .composite = term.kind { return result }
            let isNull = try translator.isNull(operand, self)
            return .term(SQLTerm(sql: "(CASE WHEN \(isNull) THEN NULL ELSE \(term.sql) END)", kind: term.kind))
        case (_, .condition(let sql)):
            return .condition("CASE WHEN \(try translator.isNull(operand, self)) THEN NULL ELSE (\(sql)) END")
        default: return result
        }
    }
}
