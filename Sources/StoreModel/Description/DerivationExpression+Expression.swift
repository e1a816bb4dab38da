extension DerivationExpression {
    /// Takes both texts from an expression. The version hash takes the expression as the model has it, so `pages.@count`
    /// and `count:(pages)` hash differently; both say the same, which is `pages.@count` in `format`.
    public init(_ expression: ExpressionNode) {
        let text = expression.formatString
        self.init(hashDescription: text, format: Self.collectionPath(expression)?.formatString ?? text)
    }

    private static let collectionOperators = [
        "sum:": "@sum", "min:": "@min", "max:": "@max", "average:": "@avg",
    ]

    /// The key path that says the same as a function over a to-many: `pages.@count`, `pages.@sum.size`.
    private static func collectionPath(_ expression: ExpressionNode) -> ExpressionNode? {
        guard case .function(let name, let arguments) = expression, arguments.count == 1,
            case .keyPath(let path) = arguments[0]
        else { return nil }
        if name == "count:" { return .keyPath(path + ["@count"]) }
        guard let name = collectionOperators[name], path.count > 1 else { return nil }
        return .keyPath(path.dropLast() + [name] + path.suffix(1))
    }

    /// Takes the text of a model's source. The version hash takes it as it stands, once spaces are as NSExpression prints
    /// them (Format, section 9).
    /// - Throws: ``PredicateSyntaxError``.
    public init(parsing format: String, filter: String? = nil) throws(PredicateSyntaxError) {
        let expression = try ExpressionNode.parse(format)
        self.init(expression)
        filteringPredicateFormat = filter
    }
}
