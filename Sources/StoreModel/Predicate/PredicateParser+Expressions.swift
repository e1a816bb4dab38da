import Foundation

extension PredicateParser {
    /// The selector names that Core Data gives the arithmetic operators.
    static let arithmetic = [
        "+": "add:to:", "-": "from:subtract:", "*": "multiply:by:", "/": "divide:by:", "**": "raise:toPower:",
        "%%": "modulus:by:",
    ]

    mutating func sum() throws(PredicateSyntaxError) -> Term {
        try chain(["+", "-"]) { parser throws(PredicateSyntaxError) in try parser.product() }
    }

    private mutating func product() throws(PredicateSyntaxError) -> Term {
        try chain(["*", "/", "%%"]) { parser throws(PredicateSyntaxError) in try parser.power() }
    }

    /// Operands with operators that group from the left between them.
    private mutating func chain(
        _ symbols: Set<String>, _ operand: (inout PredicateParser) throws(PredicateSyntaxError) -> Term
    ) throws(PredicateSyntaxError) -> Term {
        let first = try operand(&self)
        var count = 0
        var result = first
        while case .symbol(let symbol) = token.kind, symbols.contains(symbol), let name = Self.arithmetic[symbol] {
            count += 1
            guard count <= Self.maximumChain else { throw failure("at most \(Self.maximumChain) operators in a row") }
            let left = try expression(result)
            advance()
            let right = try operand(&self)
            result = .expression(.function(name, [left, try expression(right)]))
        }
        return result
    }

    private mutating func power() throws(PredicateSyntaxError) -> Term {
        let base = try signed()
        guard token.isSymbol("**") else { return base }
        let left = try expression(base)
        advance()
        // Groups from the right, as in mathematics.
        return try nested { parser throws(PredicateSyntaxError) in
            let exponent = try parser.power()
            return .expression(.function("raise:toPower:", [left, try parser.expression(exponent)]))
        }
    }

    private mutating func signed() throws(PredicateSyntaxError) -> Term {
        guard take(symbol: "-") else { return try suffixed() }
        return try nested { parser throws(PredicateSyntaxError) in
            if case .number(let value) = parser.token.kind, let negated = Self.negated(value) {
                parser.advance()
                return .expression(.constant(negated))
            }
            let operand = try parser.signed()
            return .expression(.function("from:subtract:", [.constant(.integer(0)), try parser.expression(operand)]))
        }
    }

    private static func negated(_ value: ModelValue) -> ModelValue? {
        switch value {
        case .integer(let number): .integer(-number)
        case .double(let number): .double(-number)
        // Int64.min has no positive counterpart, so it arrives here as a decimal.
        case .decimal(let number): number == -Decimal(Int64.min) ? .integer(.min) : .decimal(-number)
        default: nil
        }
    }

    /// A primary expression with key paths and indexes behind it.
    private mutating func suffixed() throws(PredicateSyntaxError) -> Term {
        var term = try nested { parser throws(PredicateSyntaxError) in try parser.primary() }
        var count = 0
        while token.isSymbol(".") || token.isSymbol("[") {
            count += 1
            guard count <= Self.maximumChain else { throw failure("at most \(Self.maximumChain) keys in a row") }
            let base = try expression(term)
            if take(symbol: "[") {
                term = .expression(try index(of: base))
            } else {
                advance()
                term = .expression(try base.appending(component()))
            }
        }
        return term
    }

    /// One part of a key path; several if a `%K` holds several.
    private mutating func component() throws(PredicateSyntaxError) -> [String] {
        switch token.kind {
        case .name(let text, _), .collectionOperator(let text):
            advance()
            return [text]
        case .placeholder("K"):
            let start = token
            guard case .keyPath(let path) = try argument() else { throw failure("a key path for %K", at: start) }
            return path.split(separator: ".").map(String.init)
        default:
            throw failure("a key")
        }
    }

    /// `[0]`, `[FIRST]`, `[LAST]`, `[SIZE]`, `[expression]`, behind the bracket.
    private mutating func index(of base: ExpressionNode) throws(PredicateSyntaxError) -> ExpressionNode {
        let words = ["FIRST": "first:", "LAST": "last:", "SIZE": "size:"]
        if let word = token.keyword, let name = words[word], peek(1).isSymbol("]") {
            advance()
            advance()
            return .function(name, [base])
        }
        let position = try nested { parser throws(PredicateSyntaxError) in try parser.wholeExpression() }
        try expect("]")
        return .function("objectFrom:withIndex:", [base, position])
    }

    private mutating func primary() throws(PredicateSyntaxError) -> Term {
        switch token.kind {
        case .symbol("("):
            advance()
            let inner = try disjunction()
            try expect(")")
            return inner
        case .symbol("{"):
            advance()
            return .expression(.aggregate(try list(until: "}")))
        case .string(let text):
            advance()
            return .expression(.constant(.string(text)))
        case .number(let value):
            advance()
            return .expression(.constant(value))
        case .variable(let name):
            advance()
            return .expression(.variable(name, keyPath: []))
        case .collectionOperator(let text):
            advance()
            return .expression(.keyPath([text]))
        case .placeholder(let letters):
            let start = token
            let argument = try argument()
            if case .keyPath = argument {} else if letters == "K" { throw failure("a key path for %K", at: start) }
            return .expression(argument.expression)
        case .name(let text, let escaped):
            return .expression(try named(text, escaped: escaped))
        default:
            throw failure("a key path, a value or `(`")
        }
    }

    /// Expressions up to a closing symbol, which is taken.
    mutating func list(until close: String) throws(PredicateSyntaxError) -> [ExpressionNode] {
        var elements: [ExpressionNode] = []
        if take(symbol: close) { return elements }
        repeat {
            elements.append(try wholeExpression())
        } while take(symbol: ",")
        guard take(symbol: close) else { throw failure("`,` or `\(close)`") }
        return elements
    }
}
