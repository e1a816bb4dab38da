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
        /// How a comparison with a to-many counts: `ANY`, `ALL`, `NONE`, or `direct` without such a word.
        public enum Modifier: Sendable, Hashable {
            case direct
            case any
            case all
            case none
        }

        /// What a comparison tests, with the operator's spelling in the format language.
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
            /// The bits of the set.
            public let rawValue: Int

            /// Makes a set from its bits.
            public init(rawValue: Int) {
                self.rawValue = rawValue
            }

            /// `[c]`: upper and lower case are the same.
            public static let caseInsensitive = Options(rawValue: 1)
            /// `[d]`: letters with and without diacritics are the same.
            public static let diacriticInsensitive = Options(rawValue: 2)
            /// `[n]`: the texts are taken as normalised already.
            public static let normalized = Options(rawValue: 4)
            /// `[l]`: the texts are compared by the rules of the locale.
            public static let localeSensitive = Options(rawValue: 8)
        }

        /// What stands before the operator.
        public var left: ExpressionNode
        /// The test.
        public var `operator`: Operator
        /// What stands after the operator.
        public var right: ExpressionNode
        /// How texts are compared; empty compares them exactly.
        public var options: Options
        /// How the comparison counts the objects of a to-many.
        public var modifier: Modifier

        /// Makes a comparison.
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
    /// `TERNARY(predicate, then, else)`.
    case conditional(PredicateNode, then: ExpressionNode, else: ExpressionNode)
    /// What only Apple's frameworks evaluate, kept whole; a predicate of that kind stands as a comparison of it with TRUE.
    case archived(ArchivedPart)
}
