extension DerivationExpression {
    /// Takes both texts from an expression. Counting a to-many is `count:(pages)` to the version hash and `pages.@count`
    /// to people.
    public init(_ expression: ExpressionNode) {
        let text = expression.formatString
        var format = text
        if case .function("count:", let arguments) = expression, arguments.count == 1,
            case .keyPath(let path) = arguments[0]
        {
            format = ExpressionNode.keyPath(path + ["@count"]).formatString
        }
        self.init(hashDescription: text, format: format)
    }

    /// Takes the text of a model's source. The version hash takes it as it stands, once spaces are as NSExpression prints
    /// them (Format, section 9).
    /// - Throws: ``PredicateSyntaxError``.
    public init(parsing format: String, filter: String? = nil) throws(PredicateSyntaxError) {
        let expression = try ExpressionNode.parse(format)
        self.init(expression)
        self.format = format
        filteringPredicateFormat = filter
    }
}
