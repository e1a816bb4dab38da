/// A predicate as a tree, in the shape of NSPredicate's format language. Each stack compiles it to SQL on its own.
public indirect enum PredicateNode: Sendable, Hashable {
    case and([PredicateNode])
    case or([PredicateNode])
    case not(PredicateNode)
    case comparison(Comparison)
    /// `TRUEPREDICATE`, `FALSEPREDICATE`.
    case constant(Bool)

    /// `left operator[options] right`, possibly with `ANY`, `ALL` or `NONE` in front.
    public struct Comparison: Sendable, Hashable {
        public enum Modifier: Sendable, Hashable {
            case direct
            case any
            case all
            case none
        }

        public enum Operator: String, Sendable, Hashable {
            case equal = "=="
            case notEqual = "!="
            case less = "<"
            case lessOrEqual = "<="
            case greater = ">"
            case greaterOrEqual = ">="
            case beginsWith = "BEGINSWITH"
            case endsWith = "ENDSWITH"
            case contains = "CONTAINS"
            case like = "LIKE"
            case matches = "MATCHES"
            case `in` = "IN"
            case between = "BETWEEN"
        }

        /// The letters in brackets: `[c]` case, `[d]` diacritics, `[n]` normalised, `[l]` locale.
        public struct Options: OptionSet, Sendable, Hashable {
            public let rawValue: Int

            public init(rawValue: Int) {
                self.rawValue = rawValue
            }

            public static let caseInsensitive = Options(rawValue: 1)
            public static let diacriticInsensitive = Options(rawValue: 2)
            public static let normalized = Options(rawValue: 4)
            public static let localeSensitive = Options(rawValue: 8)
        }

        public var left: ExpressionNode
        public var `operator`: Operator
        public var right: ExpressionNode
        public var options: Options
        public var modifier: Modifier

        public init(
            _ left: ExpressionNode, _ operator: Operator, _ right: ExpressionNode, options: Options = [],
            modifier: Modifier = .direct
        ) {
            self.left = left
            self.operator = `operator`
            self.right = right
            self.options = options
            self.modifier = modifier
        }
    }
}

/// An expression inside a predicate.
public indirect enum ExpressionNode: Sendable, Hashable {
    /// `SELF`, and an object's identity where it stands alone.
    case evaluatedObject
    /// `name`, `author.name`, `pages.@count`: the parts between the dots, operators such as `@count` included.
    case keyPath([String])
    case constant(ModelValue)
    /// An object given by its identity: its Core Data URI.
    case objectURI(String)
    /// `{a, b, c}`.
    case aggregate([ExpressionNode])
    /// `$NAME`; `$NAME.key` is a key path of a variable.
    case variable(String, keyPath: [String])
    /// `FUNCTION(…)`, and arithmetic under the names `add:to:`, `from:subtract:`, `multiply:by:`, `divide:by:`.
    case function(String, [ExpressionNode])
    /// `SUBQUERY(collection, $variable, predicate)`, with what is taken of the result (`@count`) in `keyPath`.
    case subquery(ExpressionNode, variable: String, PredicateNode, keyPath: [String])
}
