import SQLite
import StoreFormat
import StoreModel

/// Compiles predicates in NSPredicate's shape to SQL conditions, from the plain form that `PredicateResolver` gives them.
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
        case .comparison(let comparison):
            guard comparison.modifier != .direct else {
                return try compare(try term(comparison.left, in: scope), comparison, scope)
            }
            return try quantified(comparison, scope)
        }
    }

    private func joined(_ parts: [PredicateNode], _ word: String, empty: String, _ scope: QueryScope) throws -> String {
        guard !parts.isEmpty else { return empty }
        return Self.tree(try parts.map { try condition($0, in: scope) }[...], word)
    }

    /// A long chain would be as deep as it is long, and SQLite takes a depth of 1000 at most.
    private static func tree(_ parts: ArraySlice<String>, _ word: String) -> String {
        if parts.count <= 10 { return "(" + parts.joined(separator: word) + ")" }
        let half = parts.startIndex + parts.count / 2
        return "(" + tree(parts[..<half], word) + word + tree(parts[half...], word) + ")"
    }

    // MARK: Comparisons

    /// The comparison with the left side's term in place.
    private func compare(
        _ left: SQLTerm, _ comparison: PredicateNode.Comparison, _ scope: QueryScope
    ) throws -> String {
        let options = comparison.options
        switch comparison.operator {
        case .in: return try isIn(left, comparison.right, options, scope)
        case .between:
            guard case .aggregate(let bounds) = comparison.right, bounds.count == 2 else {
                throw StoreError(.badPredicate, "BETWEEN needs two bounds", way: "write BETWEEN {1, 5}")
            }
            let low = try order(left, ">=", try term(bounds[0], in: scope), options)
            let high = try order(left, "<=", try term(bounds[1], in: scope), options)
            return "(\(low) AND \(high))"
        case .equal: return "(\(try equal(left, try term(comparison.right, in: scope), options)))"
        case .notEqual: return "NOT (\(try equal(left, try term(comparison.right, in: scope), options)))"
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return try order(left, comparison.operator.rawValue, try term(comparison.right, in: scope), options)
        case .beginsWith, .endsWith, .contains, .like, .matches:
            let pattern = try term(comparison.right, in: scope)
            return PredicateFunctions.condition(
                try query.sql(left, beside: nil), comparison.operator, try query.sql(pattern, beside: nil), options)
        }
    }

    /// True or false, never undecided: nothing is equal to nothing, and to nothing else.
    private func equal(_ left: SQLTerm, _ right: SQLTerm, _ options: TextMatch.Options) throws -> String {
        if right.isNullConstant { return left.isNullConstant ? "1" : query.isNull(left) }
        if left.isNullConstant { return query.isNull(right) }
        return "\(try folded(left, beside: right, options)) IS \(try folded(right, beside: left, options))"
    }

    private func order(
        _ left: SQLTerm, _ op: String, _ right: SQLTerm, _ options: TextMatch.Options
    ) throws -> String {
        "\(try folded(left, beside: right, options)) \(op) \(try folded(right, beside: left, options))"
    }

    private func folded(_ term: SQLTerm, beside other: SQLTerm?, _ options: TextMatch.Options) throws -> String {
        if options.isEmpty { return try query.sql(term, beside: other) }
        if case .string(let text)? = term.constant { return query.bind(.text(TextMatch.fold(text, options))) }
        return "\(PredicateFunctions.fold)(\(try query.sql(term, beside: other)), \(options.rawValue))"
    }

    // MARK: Lists

    private func isIn(
        _ left: SQLTerm, _ right: ExpressionNode, _ options: TextMatch.Options, _ scope: QueryScope
    ) throws -> String {
        guard case .aggregate(let elements) = right else {
            throw StoreError(.badPredicate, "IN needs a list or a collection behind it", way: "write it with {…}")
        }
        var values: [SQLValue] = []
        var conditions: [String] = []
        var hasNull = false
        for element in elements {
            switch element {
            case .constant(.null): hasNull = true
            case .constant(.string(let text)): values.append(.text(TextMatch.fold(text, options)))
            case .constant(let value): values.append(PredicateConstant.natural(value))
            case .objectURI(let uri): values.append(.integer(query.key(uri)))
            default: conditions.append(try equal(left, try term(element, in: scope), options))
            }
        }
        if !values.isEmpty {
            conditions.append("\(try folded(left, beside: nil, options)) IN \(query.list(values))")
        }
        if hasNull { conditions.append(query.isNull(left)) }
        return conditions.isEmpty ? "0" : "(\(conditions.joined(separator: " OR ")))"
    }

    // MARK: To-many

    private func quantified(_ comparison: PredicateNode.Comparison, _ scope: QueryScope) throws -> String {
        let start: QueryScope
        let path: [String]
        switch comparison.left {
        case .keyPath(let parts): (start, path) = (scope, parts)
        case .variable(let name, let parts): (start, path) = (try variable(name), parts)
        default: throw StoreError(.badPredicate, "\(comparison.left.formatString) is no key path over a to-many")
        }
        return try quantified(comparison, path, of: start, scope)
    }

    /// The same quantifier holds for every to-many on the path.
    private func quantified(
        _ comparison: PredicateNode.Comparison, _ path: [String], of owner: QueryScope, _ scope: QueryScope
    ) throws -> String {
        guard let split = try split(path, owner) else {
            return try compare(try query.resolve(path, in: owner), comparison, scope)
        }
        let source = try query.elements(split.property, of: split.owner)
        var inner = comparison
        if comparison.modifier == .none { inner.modifier = .any }
        let condition = try quantified(inner, split.rest, of: source.scope, scope)
        return switch comparison.modifier {
        case .all: "NOT EXISTS \(source.select("1", where: "(\(condition)) IS NOT 1"))"
        case .none: "NOT EXISTS \(source.select("1", where: "(\(condition))"))"
        default: "EXISTS \(source.select("1", where: "(\(condition))"))"
        }
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

    func variable(_ name: String) throws -> QueryScope {
        if let scope = variables[name] { return scope }
        throw StoreError(.badPredicate, "the variable $\(name) stands for nothing here", way: "give its value")
    }
}
