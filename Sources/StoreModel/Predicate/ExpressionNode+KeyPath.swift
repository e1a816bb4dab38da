extension ExpressionNode {
    /// The expression with keys taken of its value.
    func appending(_ keys: [String]) -> ExpressionNode {
        switch self {
        case .evaluatedObject: .keyPath(keys)
        case .keyPath(let path): .keyPath(path + keys)
        case .variable(let name, let path): .variable(name, keyPath: path + keys)
        case .subquery(let source, let variable, let predicate, let path):
            .subquery(source, variable: variable, predicate, keyPath: path + keys)
        default:
            .function(
                "FUNCTION",
                [self, .constant(.string("valueForKeyPath:")), .constant(.string(keys.joined(separator: ".")))])
        }
    }
}
