import Foundation
import SQLite
import StoreModel

/// What a comparison meets where a predicate is evaluated in memory.
package protocol PredicateOperand {
    /// The elements of a list; a single value is its own.
    var elements: [Self] { get }
    /// The value where it is a text.
    var text: String? { get }
    /// The text that IN looks for a part in; nil where IN looks through elements.
    var whole: String? { get }

    /// Whether two are equal; missing values are equal to each other.
    func isEqual(to other: Self, _ options: TextMatch.Options) -> Bool
    /// Nil where the two have no order, as with a missing value.
    func order(to other: Self, _ options: TextMatch.Options) -> ComparisonResult?
}

extension PredicateOperand {
    package var whole: String? { text }
}

extension PredicateNode {
    /// Whether it holds where the body judges each comparison.
    package func holds(_ comparison: (Comparison) -> Bool) -> Bool {
        switch self {
        case .constant(let value): value
        case .not(let inner): !inner.holds(comparison)
        case .and(let parts): parts.allSatisfy { $0.holds(comparison) }
        case .or(let parts): parts.contains { $0.holds(comparison) }
        case .comparison(let part): comparison(part)
        }
    }
}

extension PredicateNode.Comparison {
    /// Whether its operator holds between two values.
    package func holds<Operand: PredicateOperand>(_ left: Operand, _ right: Operand) -> Bool {
        switch self.operator {
        case .equal: return left.isEqual(to: right, options)
        case .notEqual: return !left.isEqual(to: right, options)
        case .less: return left.order(to: right, options) == .orderedAscending
        case .greater: return left.order(to: right, options) == .orderedDescending
        case .lessOrEqual: return left.order(to: right, options).map { $0 != .orderedDescending } ?? false
        case .greaterOrEqual: return left.order(to: right, options).map { $0 != .orderedAscending } ?? false
        case .between:
            let bounds = right.elements
            guard bounds.count == 2, let low = left.order(to: bounds[0], options),
                let high = left.order(to: bounds[1], options)
            else { return false }
            return low != .orderedAscending && high != .orderedDescending
        case .in:
            if let whole = right.whole, let part = left.text {
                return TextMatch.matches(whole, .contains, part, options)
            }
            return right.elements.contains { left.isEqual(to: $0, options) }
        case .beginsWith, .endsWith, .contains, .like, .matches:
            guard let text = left.text, let pattern = right.text else { return false }
            return TextMatch.matches(text, self.operator, pattern, options)
        }
    }
}

extension SQLValue {
    /// A text as comparisons with these options see it.
    package func folded(_ options: TextMatch.Options) -> SQLValue {
        guard case .text(let text) = self, !options.isEmpty else { return self }
        return .text(TextMatch.fold(text, options))
    }
}
