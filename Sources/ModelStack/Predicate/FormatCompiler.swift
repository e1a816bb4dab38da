import Foundation
import SQLite
import StoreFormat
import StoreModel

/// Compiles predicates in NSPredicate's shape to SQL conditions.
struct FormatCompiler {
    let query: QueryBuilder
    /// The rows that `$variables` stand for.
    var variables: [String: QueryScope] = [:]

    init(_ query: QueryBuilder) {
        self.query = query
    }

    func condition(_ node: PredicateNode, in scope: QueryScope) throws -> String {
        switch node {
        case .constant(let value): return value ? "1" : "0"
        // Two-valued, as in memory: what a missing value leaves undecided is not so, and NOT turns that around.
        case .not(let inner): return "(\(try condition(inner, in: scope))) IS NOT 1"
        case .and(let parts): return try joined(parts, " AND ", empty: "1", scope)
        case .or(let parts): return try joined(parts, " OR ", empty: "0", scope)
        case .comparison(let comparison): return try compare(comparison, scope)
        }
    }

    private func joined(_ parts: [PredicateNode], _ word: String, empty: String, _ scope: QueryScope) throws -> String {
        guard !parts.isEmpty else { return empty }
        return "(" + (try parts.map { try condition($0, in: scope) }).joined(separator: word) + ")"
    }

    // MARK: Comparisons

    private func compare(_ comparison: PredicateNode.Comparison, _ scope: QueryScope) throws -> String {
        if comparison.modifier != .direct {
            return try quantified(comparison, scope)
        }
        if let found = try membership(comparison, scope) { return found }
        let left = try term(comparison.left, in: scope)
        return try compare(left, comparison, scope)
    }

    /// The comparison with the left side's term in place.
    private func compare(
        _ left: SQLTerm, _ comparison: PredicateNode.Comparison, _ scope: QueryScope
    ) throws -> String {
        switch comparison.operator {
        case .in: return try isIn(left, comparison.right, comparison.options, scope)
        case .between:
            guard case .aggregate(let bounds) = comparison.right, bounds.count == 2 else {
                throw StoreError(.badPredicate, "BETWEEN needs two bounds", way: "write BETWEEN {1, 5}")
            }
            let low = try term(bounds[0], in: scope)
            let high = try term(bounds[1], in: scope)
            return "(\(try order(left, ">=", low)) AND \(try order(left, "<=", high)))"
        default:
            return try compare(left, comparison.operator, try term(comparison.right, in: scope), comparison.options)
        }
    }

    private func compare(
        _ left: SQLTerm, _ op: PredicateNode.Comparison.Operator, _ right: SQLTerm,
        _ options: PredicateNode.Comparison.Options
    ) throws -> String {
        let folds = options.intersection([.caseInsensitive, .diacriticInsensitive]).rawValue
        switch op {
        case .equal:
            return folds == 0 || left.isNullConstant || right.isNullConstant
                ? "(\(try query.equal(left, right)))" : try folded(left, "=", right, folds)
        case .notEqual:
            return folds == 0 || left.isNullConstant || right.isNullConstant
                ? "(\(try query.notEqual(left, right)))" : try folded(left, "IS NOT", right, folds)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return folds == 0
                ? try order(left, op.rawValue, right) : try folded(left, op.rawValue, right, folds)
        case .beginsWith, .endsWith, .contains, .like, .matches:
            return try text(left, op, right, folds)
        case .in, .between:
            throw StoreError(.badPredicate, "\(op.rawValue) has no list on its right", way: "write it with {…}")
        }
    }

    private func order(_ left: SQLTerm, _ op: String, _ right: SQLTerm) throws -> String {
        "\(try query.sql(left, beside: right)) \(op) \(try query.sql(right, beside: left))"
    }

    private func folded(_ left: SQLTerm, _ op: String, _ right: SQLTerm, _ folds: Int) throws -> String {
        let a = try query.sql(left, beside: right)
        let b = try query.sql(right, beside: left)
        return "\(TextFunctions.fold)(\(a), \(folds)) \(op) \(TextFunctions.fold)(\(b), \(folds))"
    }

    private func text(
        _ left: SQLTerm, _ op: PredicateNode.Comparison.Operator, _ right: SQLTerm, _ folds: Int
    ) throws -> String {
        for term in [left, right] {
            if let leaf = term.leaf, leaf.type != .string, leaf.type != .uri {
                throw StoreError(
                    .typeMismatch, "\(leaf.path) is \(leaf.type), and \(op.rawValue) is for strings",
                    way: "compare it with ==, < or BETWEEN")
            }
        }
        let pattern = try query.sql(right, beside: left)
        if op == .matches {
            if case .string(let expression)? = right.constant {
                do {
                    _ = try TextFunctions.regularExpression(expression, folds)
                } catch {
                    throw StoreError(
                        .badPredicate, "\"\(expression)\" is no regular expression",
                        way: "check its brackets and escapes")
                }
            }
            return "\(TextFunctions.matches)(\(try query.sql(left, beside: right)), \(pattern), \(folds))"
        }
        func fold(_ sql: String) -> String { folds == 0 ? sql : "\(TextFunctions.fold)(\(sql), \(folds))" }
        let a = fold(try query.sql(left, beside: right))
        let b = fold(pattern)
        switch op {
        case .beginsWith: return "substr(\(a), 1, length(\(b))) = \(b)"
        // substr(x, -0) would be the whole text.
        case .endsWith: return "(length(\(b)) = 0 AND \(a) IS NOT NULL OR substr(\(a), -length(\(b))) = \(b))"
        case .contains: return "instr(\(a), \(b)) > 0"
        default: return "\(TextFunctions.like)(\(a), \(b))"
        }
    }

    // MARK: Lists

    private func isIn(
        _ left: SQLTerm, _ right: ExpressionNode, _ options: PredicateNode.Comparison.Options, _ scope: QueryScope
    ) throws -> String {
        let elements: [ExpressionNode]
        switch right {
        case .aggregate(let list): elements = list
        case .constant(.array(let values)): elements = values.map { .constant($0) }
        default:
            // A text in a text is one that the other contains.
            let container = try term(right, in: scope)
            return try compare(container, .contains, left, options)
        }
        let folds = options.intersection([.caseInsensitive, .diacriticInsensitive]).rawValue
        var hasNull = false
        let list = try elements.compactMap { element -> String? in
            let term = try term(element, in: scope)
            if term.isNullConstant {
                hasNull = true
                return nil
            }
            let sql = try query.sql(term, beside: left)
            return folds == 0 ? sql : "\(TextFunctions.fold)(\(sql), \(folds))"
        }
        let a = try query.sql(left, beside: nil)
        let subject = folds == 0 ? a : "\(TextFunctions.fold)(\(a), \(folds))"
        let found = "\(subject) IN (\(list.joined(separator: ", ")))"
        return hasNull ? "(\(found) OR \(query.isNull(left)))" : found
    }

    /// `object IN collection` and `collection CONTAINS object`, where the collection is a to-many; nil otherwise.
    private func membership(_ comparison: PredicateNode.Comparison, _ scope: QueryScope) throws -> String? {
        let collection: ExpressionNode
        let element: ExpressionNode
        switch comparison.operator {
        case .in: (collection, element) = (comparison.right, comparison.left)
        case .contains: (collection, element) = (comparison.left, comparison.right)
        default: return nil
        }
        guard let (base, path) = try self.path(collection, scope), let split = try split(path, base) else { return nil }
        let source = try query.elements(split.property, of: split.owner)
        let value = try query.resolve(split.rest, in: source.scope)
        let wanted = try term(element, in: scope)
        return "EXISTS \(source.select("1", where: "(\(try query.equal(value, wanted)))"))"
    }

    // MARK: To-many

    private func quantified(_ comparison: PredicateNode.Comparison, _ scope: QueryScope) throws -> String {
        guard let (base, path) = try path(comparison.left, scope), let split = try split(path, base) else {
            throw StoreError(
                .badPredicate, "ANY, ALL and NONE need a key path over a to-many relationship on their left",
                way: "write it as ANY tags.name == \"x\"")
        }
        let source = try query.elements(split.property, of: split.owner)
        var inner = comparison
        inner.modifier = .direct
        let condition: String
        if let (_, rest, property) = try nested(split.rest, source.scope) {
            // A second to-many in the path: the same quantifier holds for its elements.
            condition = try quantifiedInside(comparison, source.scope, property, rest, scope)
        } else {
            let value = try query.resolve(split.rest, in: source.scope)
            condition = try compare(value, inner, scope)
        }
        return switch comparison.modifier {
        case .all: "NOT EXISTS \(source.select("1", where: "(\(condition)) IS NOT 1"))"
        case .none: "NOT EXISTS \(source.select("1", where: "(\(condition))"))"
        default: "EXISTS \(source.select("1", where: "(\(condition))"))"
        }
    }

    private func nested(_ path: [String], _ scope: QueryScope) throws -> (QueryScope, [String], PropertyPlan)? {
        guard let split = try split(path, scope) else { return nil }
        return (split.owner, split.rest, split.property)
    }

    private func quantifiedInside(
        _ comparison: PredicateNode.Comparison, _ owner: QueryScope, _ property: PropertyPlan, _ rest: [String],
        _ scope: QueryScope
    ) throws -> String {
        let source = try query.elements(property, of: owner)
        var inner = comparison
        inner.modifier = .direct
        let condition = try compare(try query.resolve(rest, in: source.scope), inner, scope)
        return comparison.modifier == .all
            ? "NOT EXISTS \(source.select("1", where: "(\(condition)) IS NOT 1"))"
            : "EXISTS \(source.select("1", where: "(\(condition))"))"
    }

    /// A key path parted at its first to-many; nil where it has none.
    func split(_ path: [String], _ scope: QueryScope) throws -> (
        owner: QueryScope, property: PropertyPlan, rest: [String]
    )? {
        var owner = scope
        for (i, name) in path.enumerated() {
            guard !name.hasPrefix("@") else { return nil }
            let property = try owner.entity.property(name)
            switch property.kind {
            case .attribute: return nil
            case .toMany: return (owner, property, Array(path[(i + 1)...]))
            case .toOne(let relationship, _):
                // Only joined where the path goes on.
                guard i + 1 < path.count else { return nil }
                owner = try owner.destination(of: property, relationship, query)
            }
        }
        return nil
    }

    /// The scope and key path that an expression names, if it is one.
    private func path(_ expression: ExpressionNode, _ scope: QueryScope) throws -> (QueryScope, [String])? {
        switch expression {
        case .keyPath(let path): return (scope, path)
        case .variable(let name, let path): return (try variable(name), path)
        default: return nil
        }
    }

    func variable(_ name: String) throws -> QueryScope {
        if let scope = variables[name] { return scope }
        throw StoreError(.badPredicate, "the variable $\(name) stands for nothing here", way: "give its value")
    }
}
