import Foundation
import SQLite
import StoreModel

/// What a model asks of one value (`SELF != 3`, `length < 8 OR SELF BEGINSWITH 'x'`), evaluated on the value alone.
public struct ValueRule: Sendable {
    private let node: PredicateNode

    /// Reads a rule. Nil for one that cannot be read, that only Apple's frameworks evaluate, or that asks for more than the
    /// value: no value is judged by such a rule.
    public init?(_ format: String) {
        guard let node = try? PredicateNode.parse(format), node.excess == nil, Self.isOfValue(node) else { return nil }
        self.node = node
    }

    /// Whether a value in its column's form holds to the rule.
    public func holds(of value: SQLValue, as leaf: LeafLayout?) -> Bool {
        Evaluation(subject: value, leaf: leaf).holds(node)
    }

    // MARK: What can be evaluated

    private static func isOfValue(_ node: PredicateNode) -> Bool {
        switch node {
        case .constant: true
        case .not(let inner): isOfValue(inner)
        case .and(let parts), .or(let parts): parts.allSatisfy { isOfValue($0) }
        case .comparison(let comparison):
            comparison.modifier == .direct && isOfValue(comparison.left) && isOfValue(comparison.right)
        }
    }

    private static func isOfValue(_ expression: ExpressionNode) -> Bool {
        switch expression {
        case .evaluatedObject, .constant: true
        case .keyPath(let path): isSelf(path) || isLength(path)
        case .aggregate(let elements): elements.allSatisfy { isOfValue($0) }
        case .function(let name, let arguments):
            (PredicateFunctions.call(name, arguments.map { _ in "" }) != nil || name == "now")
                && arguments.allSatisfy { isOfValue($0) }
        case .conditional(let condition, let yes, let no):
            isOfValue(condition) && isOfValue(yes) && isOfValue(no)
        case .objectURI, .variable, .subquery, .archived: false
        }
    }

    fileprivate static func isSelf(_ path: [String]) -> Bool { path.allSatisfy { $0.lowercased() == "self" } }

    fileprivate static func isLength(_ path: [String]) -> Bool {
        path.last == "length" && isSelf(path.dropLast())
    }
}

/// One value under a rule.
private struct Evaluation {
    let subject: SQLValue
    let leaf: LeafLayout?

    func holds(_ node: PredicateNode) -> Bool {
        node.holds { $0.holds(operand($0.left), operand($0.right)) }
    }

    private func operand(_ expression: ExpressionNode) -> Operand {
        switch expression {
        case .evaluatedObject: return .value(subject, leaf: leaf)
        case .keyPath(let path):
            guard ValueRule.isLength(path) else { return .value(subject, leaf: leaf) }
            // In the units that `NSString` counts.
            return .value(subject.textValue.map { .integer(Int64($0.utf16.count)) } ?? .null, leaf: nil)
        case .constant(let value): return .constant(value)
        case .aggregate(let elements): return .list(elements.map { operand($0) })
        case .function("now", _): return .constant(.date(Date()))
        case .function(let name, let arguments):
            let values = arguments.map { operand($0).column(beside: nil) }
            guard PredicateFunctions.ofText[name] != nil else {
                return .value(PredicateArithmetic.value(name, values), leaf: nil)
            }
            return .value(values.first?.textValue.map { PredicateFunctions.value(name, $0) } ?? .null, leaf: nil)
        case .conditional(let condition, let yes, let no): return operand(holds(condition) ? yes : no)
        case .objectURI, .variable, .subquery, .archived: return .value(.null, leaf: nil)
        }
    }
}

/// A value, with the attribute that a constant beside it takes the type of.
private enum Operand: PredicateOperand {
    case value(SQLValue, leaf: LeafLayout?)
    case constant(ModelValue)
    case list([Operand])

    var leaf: LeafLayout? { if case .value(_, let leaf) = self { leaf } else { nil } }

    var elements: [Operand] {
        switch self {
        case .list(let elements): elements
        case .constant(.array(let values)): values.map { .constant($0) }
        default: [self]
        }
    }

    /// The value where it meets an attribute; none for a constant that never stands there.
    func column(beside leaf: LeafLayout?) -> SQLValue {
        switch self {
        case .value(let value, _): value
        case .constant(let value):
            leaf.map { PredicateConstant.value(value, as: $0) ?? .null } ?? PredicateConstant.natural(value)
        case .list: .null
        }
    }

    var text: String? { column(beside: nil).textValue }

    func isEqual(to other: Operand, _ options: TextMatch.Options) -> Bool {
        let (x, y) = (column(beside: other.leaf), other.column(beside: leaf))
        return x.isNull || y.isNull ? x.isNull && y.isNull : order(to: other, options) == .orderedSame
    }

    func order(to other: Operand, _ options: TextMatch.Options) -> ComparisonResult? {
        let (x, y) = (column(beside: other.leaf).folded(options), other.column(beside: leaf).folded(options))
        return x.isNull || y.isNull ? nil : SQLValue.compare(x, y)
    }
}
