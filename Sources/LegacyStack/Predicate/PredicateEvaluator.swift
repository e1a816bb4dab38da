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

    func evaluate(_ node: PredicateNode) -> Bool { node.holds(evaluate) }

    private func evaluate(_ comparison: PredicateNode.Comparison) -> Bool {
        let left = value(comparison.left)
        if comparison.modifier == .direct, comparison.operator == .in, case .aggregate(let elements) = comparison.right
        {
            // The list may be long, and need not be made.
            return elements.contains { left.isEqual(to: value($0), comparison.options) }
        }
        let right = value(comparison.right)
        switch comparison.modifier {
        case .any: return left.elements.contains { comparison.holds($0, right) }
        case .all: return left.elements.allSatisfy { comparison.holds($0, right) }
        case .none: return !left.elements.contains { comparison.holds($0, right) }
        case .direct:
            if case .list(let members) = left, comparison.operator == .contains {
                return members.contains { $0.isEqual(to: right, comparison.options) }
            }
            return comparison.holds(left, right)
        }
    }
}
