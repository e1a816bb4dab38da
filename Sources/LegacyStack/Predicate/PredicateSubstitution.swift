import StoreModel

/// Puts values in place of a predicate's variables.
enum PredicateSubstitution {
    static func expression(_ argument: PredicateArgument) -> ExpressionNode {
        switch argument {
        case .value(let value): .constant(value)
        case .keyPath(let path): .keyPath(path.split(separator: ".").map(String.init))
        case .objectURI(let uri): .objectURI(uri)
        case .list(let elements): .aggregate(elements.map { expression($0) })
        }
    }

    static func substitute(_ node: PredicateNode, _ values: [String: ExpressionNode]) -> PredicateNode {
        switch node {
        case .constant: return node
        case .not(let inner): return .not(substitute(inner, values))
        case .and(let parts): return .and(parts.map { substitute($0, values) })
        case .or(let parts): return .or(parts.map { substitute($0, values) })
        case .comparison(var comparison):
            comparison.left = substitute(comparison.left, values)
            comparison.right = substitute(comparison.right, values)
            return .comparison(comparison)
        }
    }

    private static func substitute(_ node: ExpressionNode, _ values: [String: ExpressionNode]) -> ExpressionNode {
        switch node {
        case .variable(let name, let path): return path.isEmpty ? values[name] ?? node : node
        case .aggregate(let elements): return .aggregate(elements.map { substitute($0, values) })
        case .function(let name, let arguments): return .function(name, arguments.map { substitute($0, values) })
        case .subquery(let source, let variable, let predicate, let path):
            var inner = values
            inner[variable] = nil
            return .subquery(
                substitute(source, values), variable: variable, substitute(predicate, inner), keyPath: path)
        case .conditional(let condition, let yes, let no):
            return .conditional(
                substitute(condition, values), then: substitute(yes, values), else: substitute(no, values))
        case .evaluatedObject, .keyPath, .constant, .objectURI, .archived: return node
        }
    }
}
