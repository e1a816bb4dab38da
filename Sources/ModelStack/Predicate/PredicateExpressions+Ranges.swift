import Foundation

/// Ranges that a closure captured.
private protocol AnyRange {
    var bounds: (low: Any?, high: Any?, isClosed: Bool) { get }
}

extension Range: AnyRange {
    fileprivate var bounds: (low: Any?, high: Any?, isClosed: Bool) { (lowerBound, upperBound, false) }
}

extension ClosedRange: AnyRange {
    fileprivate var bounds: (low: Any?, high: Any?, isClosed: Bool) { (lowerBound, upperBound, true) }
}

extension PartialRangeFrom: AnyRange {
    fileprivate var bounds: (low: Any?, high: Any?, isClosed: Bool) { (lowerBound, nil, true) }
}

extension PartialRangeThrough: AnyRange {
    fileprivate var bounds: (low: Any?, high: Any?, isClosed: Bool) { (nil, upperBound, true) }
}

extension PartialRangeUpTo: AnyRange {
    fileprivate var bounds: (low: Any?, high: Any?, isClosed: Bool) { (nil, upperBound, false) }
}

extension PredicateExpressions.Range: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        .range(low: try translator.translate(lower), high: try translator.translate(upper), isClosed: false)
    }
}

extension PredicateExpressions.ClosedRange: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        .range(low: try translator.translate(lower), high: try translator.translate(upper), isClosed: true)
    }
}

extension PredicateTranslator {
    fileprivate func contains(_ range: Operand, _ element: Any, _ expression: Any) throws -> Operand {
        let low: Operand?
        let high: Operand?
        let isClosed: Bool
        switch range {
        case .range(let a, let b, let closed): (low, high, isClosed) = (a, b, closed)
        case .value(let value as any AnyRange):
            let bounds = value.bounds
            (low, high, isClosed) = (bounds.low.map { .value($0) }, bounds.high.map { .value($0) }, bounds.isClosed)
        default: throw Self.unsupported(expression, "needs a range")
        }
        let value = try translate(element)
        let x = try sql(value, expression)
        var parts: [String] = []
        if let low { parts.append("\(x) >= \(try sql(low, beside: value, expression))") }
        if let high { parts.append("\(x) \(isClosed ? "<=" : "<") \(try sql(high, beside: value, expression))") }
        return .condition("(\(parts.joined(separator: " AND ")))")
    }
}

extension PredicateExpressions.RangeExpressionContains: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        try translator.contains(try translator.translate(range), element, self)
    }
}
