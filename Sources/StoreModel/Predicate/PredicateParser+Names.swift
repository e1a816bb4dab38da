import Foundation

extension PredicateParser {
    /// Words that cannot start a key path unless `#` stands in front.
    static let reserved: Set<String> = [
        "AND", "OR", "NOT", "IN", "ALL", "ANY", "SOME", "NONE", "LIKE", "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH",
        "BETWEEN", "NULL", "NIL", "SELF", "TRUE", "YES", "FALSE", "NO", "TRUEPREDICATE", "FALSEPREDICATE",
    ]

    /// Words that are special only with a parenthesis behind.
    private static let callWords: Set<String> = ["SUBQUERY", "FUNCTION", "CAST", "TERNARY"]

    mutating func named(_ text: String, escaped: Bool) throws(PredicateSyntaxError) -> ExpressionNode {
        guard !escaped else {
            advance()
            return .keyPath([text])
        }
        let word = text.uppercased()
        if Self.callWords.contains(word), peek(1).isSymbol("(") { return try call(word) }
        if Self.reserved.contains(word) {
            let start = token
            advance()
            switch word {
            case "NULL", "NIL": return .constant(.null)
            case "SELF": return .evaluatedObject
            case "TRUE", "YES": return .constant(.bool(true))
            case "FALSE", "NO": return .constant(.bool(false))
            default: throw failure("a key path or a value (write `#\(text)` for the key)", at: start)
            }
        }
        if peek(1).isSymbol("(") || peek(1).isSymbol(":") { return try function(text) }
        advance()
        return .keyPath([text])
    }

    /// `now()`, `count:(x)`, `modulus:by:(a, b)`, and `sum(x)` for `sum:(x)`.
    private mutating func function(_ first: String) throws(PredicateSyntaxError) -> ExpressionNode {
        let start = token
        var name = first
        advance()
        while take(symbol: ":") {
            name += ":"
            if case .name(let part, _) = token.kind, peek(1).isSymbol(":") {
                name += part
                advance()
            }
        }
        guard take(symbol: "(") else { throw failure("`(` behind a function's name") }
        let arguments = try list(until: ")")
        let parameters = name.filter { $0 == ":" }.count
        if parameters == 0, arguments.count == 1 {
            name += ":"
        } else if parameters != arguments.count {
            throw failure("\(parameters) arguments for `\(name)`, not \(arguments.count)", at: start)
        }
        return .function(name, arguments)
    }

    private mutating func call(_ word: String) throws(PredicateSyntaxError) -> ExpressionNode {
        let start = token
        advance()
        advance()
        switch word {
        case "SUBQUERY": return try subquery()
        case "CAST":
            let arguments = try list(until: ")")
            guard arguments.count == 2, case .constant(.string(let type)) = arguments[1] else {
                throw failure("CAST(expression, 'Class')", at: start)
            }
            return PredicateCast.folded(arguments[0], type) ?? .function("CAST", arguments)
        case "FUNCTION":
            let arguments = try list(until: ")")
            guard arguments.count >= 2, case .constant(.string) = arguments[1] else {
                throw failure("FUNCTION(expression, 'selector', …)", at: start)
            }
            return .function("FUNCTION", arguments)
        default: return try conditional()
        }
    }

    private mutating func conditional() throws(PredicateSyntaxError) -> ExpressionNode {
        let condition = try wholePredicate()
        try expect(",")
        let yes = try wholeExpression()
        try expect(",")
        let no = try wholeExpression()
        try expect(")")
        return .conditional(condition, then: yes, else: no)
    }

    private mutating func subquery() throws(PredicateSyntaxError) -> ExpressionNode {
        let source = try wholeExpression()
        try expect(",")
        guard case .variable(let variable) = token.kind else { throw failure("a `$variable`") }
        advance()
        try expect(",")
        let condition = try wholePredicate()
        try expect(")")
        return .subquery(source, variable: variable, condition, keyPath: [])
    }
}
