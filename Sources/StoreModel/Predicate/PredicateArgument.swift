/// What a `%` placeholder of a predicate's format stands for.
public enum PredicateArgument: Sendable, Hashable {
    /// A value: `%@`, `%d`, `%f`, `%s` and their kin. An array becomes an aggregate.
    case value(ModelValue)
    /// A key path, its parts parted by dots: `%K`.
    case keyPath(String)
    /// An object, by its Core Data URI: `%@`.
    case objectURI(String)
    /// Several of these: `%@` behind `IN` or `BETWEEN`.
    case list([PredicateArgument])

    /// The argument as an expression.
    var expression: ExpressionNode {
        switch self {
        case .value(.array(let elements)): .aggregate(elements.map { PredicateArgument.value($0).expression })
        case .value(let value): .constant(value)
        case .keyPath(let path): .keyPath(path.split(separator: ".").map(String.init))
        case .objectURI(let uri): .objectURI(uri)
        case .list(let elements): .aggregate(elements.map(\.expression))
        }
    }
}
