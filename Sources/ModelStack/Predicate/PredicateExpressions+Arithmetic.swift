import Foundation

extension PredicateTranslator {
    fileprivate func binary(_ a: Any, _ symbol: String, _ b: Any, _ expression: Any) throws -> Operand {
        let left = try sql(try translate(a), expression)
        let right = try sql(try translate(b), expression)
        return .term(SQLTerm(sql: "(\(left) \(symbol) \(right))", kind: .number))
    }
}

extension PredicateExpressions.Arithmetic: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        switch op {
        case .add: try translator.binary(lhs, "+", rhs, self)
        case .subtract: try translator.binary(lhs, "-", rhs, self)
        case .multiply: try translator.binary(lhs, "*", rhs, self)
        @unknown default: throw PredicateTranslator.unsupported(self)
        }
    }
}

extension PredicateExpressions.FloatDivision: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        // A whole decimal stands in its column as an integer, and SQLite would divide it as one. By zero Swift divides.
        let a = try translator.sql(try translator.translate(lhs), self)
        let b = try translator.sql(try translator.translate(rhs), self)
        let sql = """
            (CASE WHEN \(b) <> 0 THEN \(a) * 1.0 / \(b) WHEN \(b) IS NULL THEN NULL \
            WHEN \(a) > 0 THEN 9e999 WHEN \(a) < 0 THEN -9e999 END)
            """
        return .term(SQLTerm(sql: sql, kind: .number))
    }
}

extension PredicateExpressions.IntDivision: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        try translator.binary(lhs, "/", rhs, self)
    }
}

extension PredicateExpressions.IntRemainder: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        try translator.binary(lhs, "%", rhs, self)
    }
}

extension PredicateExpressions.UnaryMinus: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        .term(SQLTerm(sql: "(-\(try translator.sql(try translator.translate(wrapped), self)))", kind: .number))
    }
}
