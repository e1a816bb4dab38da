import SQLite
import StoreFormat
import StoreModel

/// Evaluates predicates on objects in memory, with the results that SQL gives for saved ones.
struct PredicateEvaluator {
    let subject: MemoryValue
    var variables: [String: MemoryValue] = [:]

    init(subject: MemoryValue) {
        self.subject = subject
    }

    func evaluate(_ node: PredicateNode) -> Bool {
        switch node {
        case .constant(let value): return value
        case .and(let parts): return parts.allSatisfy { evaluate($0) }
        case .or(let parts): return parts.contains { evaluate($0) }
        case .not(let inner): return !evaluate(inner)
        case .comparison(let comparison): return evaluate(comparison)
        }
    }

    private func evaluate(_ comparison: PredicateNode.Comparison) -> Bool {
        let left = value(comparison.left)
        if comparison.modifier == .direct, comparison.operator == .in, case .aggregate(let elements) = comparison.right
        {
            // The list may be long, and need not be made.
            return elements.contains { equal(left, value($0), comparison.options) }
        }
        let right = value(comparison.right)
        switch comparison.modifier {
        case .any: return left.elements.contains { compare($0, comparison, right) }
        case .all: return left.elements.allSatisfy { compare($0, comparison, right) }
        case .none: return !left.elements.contains { compare($0, comparison, right) }
        case .direct:
            if case .list(let members) = left, comparison.operator == .contains {
                return members.contains { equal($0, right, comparison.options) }
            }
            return compare(left, comparison, right)
        }
    }

    private func compare(_ left: MemoryValue, _ comparison: PredicateNode.Comparison, _ right: MemoryValue) -> Bool {
        let options = comparison.options
        switch comparison.operator {
        case .equal: return equal(left, right, options)
        case .notEqual: return !equal(left, right, options)
        case .less: return order(left, right, options) == .orderedAscending
        case .greater: return order(left, right, options) == .orderedDescending
        case .lessOrEqual:
            guard let order = order(left, right, options) else { return false }
            return order != .orderedDescending
        case .greaterOrEqual:
            guard let order = order(left, right, options) else { return false }
            return order != .orderedAscending
        case .between:
            let bounds = right.elements
            guard bounds.count == 2, let low = order(left, bounds[0], options),
                let high = order(left, bounds[1], options)
            else { return false }
            return low != .orderedAscending && high != .orderedDescending
        case .in:
            if case .scalar(.text(let whole), _) = right, case .text(let part)? = left.column(like: nil) {
                return TextMatch.matches(whole, .contains, part, options)
            }
            if case .constant(.string(let whole)) = right, case .text(let part)? = left.column(like: nil) {
                return TextMatch.matches(whole, .contains, part, options)
            }
            return listed(right).contains { equal(left, $0, options) }
        case .beginsWith, .endsWith, .contains, .like, .matches:
            guard case .text(let text)? = left.column(like: nil), case .text(let pattern)? = right.column(like: nil)
            else {
                return false
            }
            return TextMatch.matches(text, comparison.operator, pattern, options)
        }
    }

    /// The elements of what stands behind IN, missing values among them.
    private func listed(_ value: MemoryValue) -> [MemoryValue] {
        if case .list(let elements) = value { return elements }
        return value.elements
    }

    private func equal(_ a: MemoryValue, _ b: MemoryValue, _ options: PredicateNode.Comparison.Options) -> Bool {
        if a.isNull || b.isNull { return a.isNull && b.isNull }
        switch (a, b) {
        case (.object(let x), .object(let y)): return x === y || x.objectID == y.objectID
        case (.object(let object), .identity(let uri)), (.identity(let uri), .object(let object)):
            return object.isNamed(by: uri)
        case (.identity(let x), .identity(let y)): return x == y
        default: break
        }
        return order(a, b, options) == .orderedSame
    }

    /// Nil where the two have no order, as with a missing value.
    private func order(
        _ a: MemoryValue, _ b: MemoryValue, _ options: PredicateNode.Comparison.Options
    ) -> ComparisonResult? {
        guard var x = a.column(like: b.leaf), var y = b.column(like: a.leaf), !x.isNull, !y.isNull else { return nil }
        if !options.isEmpty {
            if case .text(let text) = x { x = .text(TextMatch.fold(text, options)) }
            if case .text(let text) = y { y = .text(TextMatch.fold(text, options)) }
        }
        return SQLValue.compare(x, y)
    }
}
