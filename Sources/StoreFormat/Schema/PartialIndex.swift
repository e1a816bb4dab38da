import StoreModel

/// The `WHERE` of a partial fetch index.
struct PartialIndex {
    private let plan: SchemaPlan
    private let entity: String

    init(_ plan: SchemaPlan, _ entity: String) {
        self.plan = plan
        self.entity = entity
    }

    /// Nil for a predicate that has no form here.
    func sql(of format: String) -> String? {
        guard let node = try? PredicateNode.parse(format) else { return nil }
        return sql(node)
    }

    private func sql(_ node: PredicateNode) -> String? {
        switch node {
        case .and(let nodes): joined(nodes, " AND ")
        case .or(let nodes): joined(nodes, " OR ")
        case .comparison(let comparison): sql(comparison)
        case .not, .constant: nil
        }
    }

    private func joined(_ nodes: [PredicateNode], _ word: String) -> String? {
        let parts = nodes.map { sql($0) }
        guard !parts.contains(nil), !parts.isEmpty else { return nil }
        return "(\(parts.compactMap { $0 }.joined(separator: word)))"
    }

    private func sql(_ comparison: PredicateNode.Comparison) -> String? {
        guard comparison.options == [], comparison.modifier == .direct, let left = operand(comparison.left),
            let right = operand(comparison.right)
        else { return nil }
        if right == "NULL" {
            switch comparison.operator {
            case .equal: return "\(left) IS NULL"
            case .notEqual: return "\(left) IS NOT NULL"
            default: return nil
            }
        }
        switch comparison.operator {
        case .equal: return "\(left) = \(right)"
        case .notEqual: return "\(left) <> \(right)"
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return "\(left) \(comparison.operator.rawValue) \(right)"
        default: return nil
        }
    }

    private func operand(_ node: ExpressionNode) -> String? {
        switch node {
        case .keyPath(let path) where path == ["entity"] || path == ["self", "entity"]: return "Z_ENT"
        case .keyPath(let path) where path.count == 1: return plan.column(of: path[0], in: entity)?.column
        case .evaluatedObject: return "Z_PK"
        case .constant(.null): return "NULL"
        case .constant(.integer(let value)): return "\(value)"
        case .constant(.bool(let value)): return value ? "1" : "0"
        case .constant(.double(let value)): return "\(value)"
        case .constant(.string(let value)): return value.sqlLiteral
        default: return nil
        }
    }
}
