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
        try translator.binary(lhs, "/", rhs, self)
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
