import Foundation

extension PredicateNode {
    /// Reads a predicate in NSPredicate's format language.
    ///
    ///     let node = try PredicateNode.parse("%K BEGINSWITH[cd] %@ AND pages.@count > 3",
    ///                                        arguments: [.keyPath("title"), .value(.string("a"))])
    ///
    /// - Parameter arguments: what the `%` placeholders stand for, in order; as many as there are placeholders.
    /// - Throws: ``PredicateSyntaxError`` with the position and what was expected there.
    public static func parse(_ format: String, arguments: [PredicateArgument] = []) throws(PredicateSyntaxError)
        -> PredicateNode
    {
        var parser = try PredicateParser(format, arguments)
        let node = try parser.wholePredicate()
        try parser.finish()
        return node
    }
}

extension ExpressionNode {
    /// Reads an expression in NSExpression's format language.
    /// - Throws: ``PredicateSyntaxError`` with the position and what was expected there.
    public static func parse(_ format: String, arguments: [PredicateArgument] = []) throws(PredicateSyntaxError)
        -> ExpressionNode
    {
        var parser = try PredicateParser(format, arguments)
        let node = try parser.wholeExpression()
        try parser.finish()
        return node
    }
}

/// Recursive descent over the words of a format.
///
/// A parenthesis may hold a predicate or an expression, which only shows at its end: so every level gives a ``Term`` that
/// is either, and nothing is ever read twice.
struct PredicateParser {
    enum Term {
        case predicate(PredicateNode)
        case expression(ExpressionNode)
    }

    /// How deep parentheses and the like may lie in each other, and how many operators of a kind may follow each other.
    static let maximumDepth = 100
    static let maximumChain = 200

    let format: String
    private let tokens: [PredicateToken]
    private let arguments: [PredicateArgument]
    private var place = 0
    private var used = 0
    private var depth = 0

    init(_ format: String, _ arguments: [PredicateArgument]) throws(PredicateSyntaxError) {
        self.format = format
        self.arguments = arguments
        tokens = try PredicateLexer.tokens(of: format)
    }

    // MARK: Words

    var token: PredicateToken { tokens[place] }

    func peek(_ ahead: Int) -> PredicateToken { tokens[min(place + ahead, tokens.count - 1)] }

    mutating func advance() {
        if place < tokens.count - 1 { place += 1 }
    }

    mutating func take(symbol: String) -> Bool {
        guard token.isSymbol(symbol) else { return false }
        advance()
        return true
    }

    mutating func take(keyword: String) -> Bool {
        guard token.keyword == keyword else { return false }
        advance()
        return true
    }

    func failure(_ expected: String, at token: PredicateToken? = nil) -> PredicateSyntaxError {
        let token = token ?? self.token
        return PredicateSyntaxError(format: format, position: token.position, expected: expected, found: token.shown)
    }

    mutating func expect(_ symbol: String) throws(PredicateSyntaxError) {
        guard take(symbol: symbol) else { throw failure("`\(symbol)`") }
    }

    func finish() throws(PredicateSyntaxError) {
        guard token.kind == .end else { throw failure("AND, OR or the end") }
        guard used == arguments.count else {
            throw PredicateSyntaxError(
                format: format, position: token.position,
                expected: "a placeholder for each of \(arguments.count) arguments",
                found: "\(used)")
        }
    }

    /// The next argument, for the placeholder that is the current word.
    mutating func argument() throws(PredicateSyntaxError) -> PredicateArgument {
        guard used < arguments.count else {
            throw PredicateSyntaxError(
                format: format, position: token.position, expected: "an argument for \(token.shown)",
                found: "only \(arguments.count) arguments")
        }
        advance()
        used += 1
        return arguments[used - 1]
    }

    mutating func nested<T>(
        _ body: (inout PredicateParser) throws(PredicateSyntaxError) -> T
    ) throws(PredicateSyntaxError) -> T {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw failure("at most \(Self.maximumDepth) levels") }
        return try body(&self)
    }

    func predicate(_ term: Term) throws(PredicateSyntaxError) -> PredicateNode {
        if case .predicate(let node) = term { return node }
        throw failure("a comparison operator")
    }

    func expression(_ term: Term) throws(PredicateSyntaxError) -> ExpressionNode {
        if case .expression(let node) = term { return node }
        throw failure("an expression, not a predicate, before this")
    }

    // The term comes first and is judged after: an error names the word behind it.

    mutating func wholePredicate() throws(PredicateSyntaxError) -> PredicateNode {
        let term = try disjunction()
        return try predicate(term)
    }

    mutating func wholeExpression() throws(PredicateSyntaxError) -> ExpressionNode {
        let term = try sum()
        return try expression(term)
    }

    // MARK: Predicates

    mutating func disjunction() throws(PredicateSyntaxError) -> Term {
        let first = try conjunction()
        guard token.isSymbol("||") || token.keyword == "OR" else { return first }
        var parts = [try predicate(first)]
        while take(symbol: "||") || take(keyword: "OR") {
            let next = try conjunction()
            parts.append(try predicate(next))
        }
        return .predicate(.or(parts))
    }

    private mutating func conjunction() throws(PredicateSyntaxError) -> Term {
        let first = try negation()
        guard token.isSymbol("&&") || token.keyword == "AND" else { return first }
        var parts = [try predicate(first)]
        while take(symbol: "&&") || take(keyword: "AND") {
            let next = try negation()
            parts.append(try predicate(next))
        }
        return .predicate(.and(parts))
    }

    private mutating func negation() throws(PredicateSyntaxError) -> Term {
        guard take(symbol: "!") || take(keyword: "NOT") else { return try comparison() }
        return try nested { parser throws(PredicateSyntaxError) in
            let inner = try parser.negation()
            return .predicate(.not(try parser.predicate(inner)))
        }
    }

    private mutating func comparison() throws(PredicateSyntaxError) -> Term {
        if take(keyword: "TRUEPREDICATE") { return .predicate(.constant(true)) }
        if take(keyword: "FALSEPREDICATE") { return .predicate(.constant(false)) }
        let modifiers: [String: PredicateNode.Comparison.Modifier] = [
            "ANY": .any, "SOME": .any, "ALL": .all, "NONE": .none,
        ]
        let modifier = token.keyword.flatMap { modifiers[$0] }
        if modifier != nil { advance() }
        let left = try sum()
        guard case .expression(let leftExpression) = left else {
            guard modifier == nil else { throw failure("an expression, not a predicate, behind ANY, ALL or NONE") }
            return left
        }
        guard let (op, options) = try comparisonOperator() else {
            guard modifier == nil else { throw failure("a comparison operator") }
            return left
        }
        let start = token
        let right = try wholeExpression()
        if op == .between, case .aggregate(let bounds) = right, bounds.count != 2 {
            throw failure("two bounds behind BETWEEN", at: start)
        }
        return .predicate(
            .comparison(.init(leftExpression, op, right, options: options, modifier: modifier ?? .direct)))
    }

    private mutating func comparisonOperator() throws(PredicateSyntaxError) -> (
        PredicateNode.Comparison.Operator, PredicateNode.Comparison.Options
    )? {
        let symbols: [String: PredicateNode.Comparison.Operator] = [
            "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
            "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
        ]
        var found: PredicateNode.Comparison.Operator?
        if case .symbol(let text) = token.kind { found = symbols[text] }
        if let word = token.keyword, word.first?.isLetter == true {
            found = PredicateNode.Comparison.Operator(rawValue: word)
        }
        guard let found else { return nil }
        advance()
        guard take(symbol: "[") else { return (found, []) }
        guard case .name(let letters, _) = token.kind else { throw failure("the options c, d, n or l") }
        var options: PredicateNode.Comparison.Options = []
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            case "n": options.insert(.normalized)
            case "l": options.insert(.localeSensitive)
            default: throw failure("only the options c, d, n and l")
            }
        }
        advance()
        try expect("]")
        return (found, options)
    }
}
