import Foundation
import StoreFormat

extension PredicateExpressions.Variable: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        if let operand = translator.variables[key] { return operand }
        throw PredicateTranslator.unsupported(self, "stands for nothing here")
    }
}

extension PredicateExpressions.Value: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand { .value(value) }
}

extension PredicateExpressions.NilLiteral: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        .value(Optional<Never>.none as Any)
    }
}

extension PredicateExpressions.KeyPath: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        try translator.step(try translator.translate(root), keyPath, self)
    }
}

extension PredicateTranslator {
    /// Equality of optionals: `IS` compares NULL as nil.
    func equal(_ a: Any, _ b: Any, _ operation: String, _ expression: Any) throws -> Operand {
        let left = try translate(a)
        let right = try translate(b)
        if isNil(right) { return .condition(try null(left, operation, expression)) }
        if isNil(left) { return .condition(try null(right, operation, expression)) }
        let x = try sql(left, beside: right, expression)
        let y = try sql(right, beside: left, expression)
        return .condition("\(x) \(operation) \(y)")
    }

    private func null(_ operand: Operand, _ operation: String, _ expression: Any) throws -> String {
        let sql = try isNull(operand, expression)
        return operation == "IS" ? sql : "NOT (\(sql))"
    }
}

extension PredicateExpressions.Equal: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        try translator.equal(lhs, rhs, "IS", self)
    }
}

extension PredicateExpressions.NotEqual: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        try translator.equal(lhs, rhs, "IS NOT", self)
    }
}

extension PredicateExpressions.Comparison: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        let left = try translator.translate(lhs)
        let right = try translator.translate(rhs)
        let symbol =
            switch op {
            case .lessThan: "<"
            case .lessThanOrEqual: "<="
            case .greaterThan: ">"
            case .greaterThanOrEqual: ">="
            @unknown default: throw PredicateTranslator.unsupported(self)
            }
        let x = try translator.sql(left, beside: right, self)
        let y = try translator.sql(right, beside: left, self)
        return .condition("\(x) \(symbol) \(y)")
    }
}

extension PredicateExpressions.Conjunction: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        .condition("(\(try translator.condition(lhs)) AND \(try translator.condition(rhs)))")
    }
}

extension PredicateExpressions.Disjunction: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        .condition("(\(try translator.condition(lhs)) OR \(try translator.condition(rhs)))")
    }
}

extension PredicateExpressions.Negation: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        // A comparison with a missing value is NULL in SQL and false in Swift.
        .condition("(\(try translator.condition(wrapped))) IS NOT 1")
    }
}

extension PredicateExpressions.Conditional: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        let condition = try translator.condition(test)
        let yes = try translator.sql(try translator.translate(trueBranch), self)
        let no = try translator.sql(try translator.translate(falseBranch), self)
        let sql = "CASE WHEN \(condition) THEN \(yes) ELSE \(no) END"
        return Output.self == Bool.self ? .condition(sql) : .term(SQLTerm(sql: "(\(sql))", kind: .other))
    }
}
