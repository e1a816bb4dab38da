import Foundation
import SQLite
import StoreFormat

extension PredicateExpressions.SequenceContains: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        let list = try translator.translate(sequence)
        switch list {
        case .value(let value):
            if value is any StringProtocol { return try translator.text(self, sequence, element) }
            guard let values = value as? any Sequence else {
                // A captured range is a sequence too.
                throw PredicateTranslator.unsupported(self, "needs a list")
            }
            return try translator.isAmong(values, element, self)
        case .elements(let scope, let property, let filter):
            let source = try filter?.source ?? translator.query.elements(property, of: scope)
            let key = try translator.sql(try translator.translate(element), self)
            let extra = (filter.map { "\($0.condition) AND " } ?? "") + "\(source.scope.alias).Z_PK = \(key)"
            return .condition("EXISTS \(source.select("1", where: extra))")
        case .term(let term) where term.leaf?.type == .string: return try translator.text(self, sequence, element)
        default:
            throw PredicateTranslator.unsupported(self, "cannot search in a list that is stored as one value")
        }
    }
}

extension PredicateTranslator {
    fileprivate func isAmong(_ values: any Sequence, _ element: Any, _ expression: Any) throws -> Operand {
        let operand = try translate(element)
        var hasNil = false
        var list: [SQLValue] = []
        for value in Self.array(values) {
            let stored = try captured(value, beside: operand, expression)
            if stored.isNull { hasNil = true } else { list.append(stored) }
        }
        let found = "\(try sql(operand, expression)) IN \(query.list(list))"
        return .condition(hasNil ? "(\(found) OR \(try isNull(operand, expression)))" : found)
    }

    private static func array<S: Sequence>(_ sequence: S) -> [Any] { sequence.map { $0 as Any } }

    /// A text in a text.
    fileprivate func text(_ expression: Any, _ base: Any, _ part: Any) throws -> Operand {
        let a = try sql(try translate(base), expression)
        let b = try sql(try translate(part), expression)
        return .condition("instr(\(a), \(b)) > 0")
    }
}

extension PredicateExpressions.SequenceContainsWhere: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        let (_, _, filter) = try translator.filtered(try translator.translate(sequence), variable.key, test, self)
        return .condition("EXISTS \(filter.source.select("1", where: filter.condition))")
    }
}

extension PredicateExpressions.SequenceAllSatisfy: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        let operand = try translator.translate(sequence)
        guard case .elements(_, _, let before) = operand else {
            throw PredicateTranslator.unsupported(self, "needs a to-many relationship")
        }
        let (_, _, filter) = try translator.filtered(operand, variable.key, test, self)
        // Of the elements that an earlier filter leaves, none may fail.
        let failing =
            before.map { "\($0.condition) AND (\(filter.condition)) IS NOT 1" } ?? "(\(filter.condition)) IS NOT 1"
        return .condition("NOT EXISTS \(filter.source.select("1", where: failing))")
    }
}

extension PredicateExpressions.Filter: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        let (scope, property, filter) = try translator.filtered(
            try translator.translate(sequence), variable.key, self.filter, self)
        return .elements(scope, property, filter)
    }
}

extension PredicateExpressions.CollectionContainsCollection: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        try translator.text(self, base, other)
    }
}

extension PredicateExpressions.SequenceStartsWith: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        let a = try translator.sql(try translator.translate(base), self)
        let b = try translator.sql(try translator.translate(prefix), self)
        return .condition(PredicateFunctions.condition(a, .beginsWith, b, []))
    }
}
