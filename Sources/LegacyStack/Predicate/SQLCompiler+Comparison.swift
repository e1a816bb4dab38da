import SQLite
import StoreFormat
import StoreModel

extension SQLCompiler {
    /// `left operator right` for single values.
    func compare(
        _ left: SQLOperand, _ comparison: PredicateNode.Comparison, _ right: SQLOperand
    ) throws -> String {
        switch comparison.operator {
        case .in: return try membership(left, comparison, right)
        case .between:
            guard case .list(let bounds) = right, bounds.count == 2 else {
                throw Self.unsupported("BETWEEN needs two bounds in braces")
            }
            let (a, low) = try pair(left, bounds[0], comparison.options)
            let (b, high) = try pair(left, bounds[1], comparison.options)
            return "(\(a) >= \(low) AND \(b) <= \(high))"
        case .beginsWith, .endsWith, .contains, .like, .matches: return try text(left, comparison, right)
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            return try order(left, comparison, right)
        }
    }

    private func order(
        _ left: SQLOperand, _ comparison: PredicateNode.Comparison, _ right: SQLOperand
    ) throws -> String {
        let op = comparison.operator
        if Self.isNull(right) || Self.isNull(left) {
            let other = Self.isNull(right) ? left : right
            switch op {
            case .equal: return Self.isNull(other) ? "1" : "\(try sql(other)) IS NULL"
            case .notEqual: return Self.isNull(other) ? "0" : "\(try sql(other)) IS NOT NULL"
            default: return "0"
            }
        }
        if op == .equal || op == .notEqual, try areUnrelated(left, right) { return op == .equal ? "0" : "1" }
        let (a, b) = try pair(left, right, comparison.options)
        let isConstant = Self.isConstant(left) || Self.isConstant(right)
        switch op {
        case .equal: return isConstant ? "\(a) = \(b)" : "\(a) IS \(b)"
        case .notEqual: return "\(a) IS NOT \(b)"
        default: return "\(a) \(op.rawValue) \(b)"
        }
    }

    /// Whether the two are objects of different tables, or one is an object that is in no row of the store.
    private func areUnrelated(_ left: SQLOperand, _ right: SQLOperand) throws -> Bool {
        switch (left, right) {
        case (.object(_, let a), .object(_, let b)): return a.rootIndex != b.rootIndex
        case (.object(_, let entity), .objectURI(let uri)), (.objectURI(let uri), .object(_, let entity)):
            guard let found = ObjectURI.key(uri, schema), found.key != nil else { return true }
            return found.entity.rootIndex != entity.rootIndex
        default: return false
        }
    }

    private func membership(
        _ left: SQLOperand, _ comparison: PredicateNode.Comparison, _ right: SQLOperand
    ) throws -> String {
        guard case .list(let elements) = right else {
            // `"x" IN text` is a search in the text.
            var reversed = comparison
            reversed.operator = .contains
            return try text(right, reversed, left)
        }
        var parts: [String] = []
        var hasNull = false
        var a: String?
        for element in elements {
            if Self.isNull(element) {
                hasNull = true
            } else if try !areUnrelated(left, element) {
                if case .object(let sql, _) = left, case .objectURI(let uri) = element,
                    let key = ObjectURI.key(uri, schema)?.key
                {
                    (a, parts) = (sql, parts + [String(key)])
                } else {
                    let (x, y) = try pair(left, element, comparison.options)
                    (a, parts) = (a ?? x, parts + [y])
                }
            }
        }
        let list = a.map { "\($0) IN (\(parts.joined(separator: ", ")))" }
        guard hasNull else { return list ?? "0" }
        let null = "\(try sql(left)) IS NULL"
        return list.map { "(\($0) OR \(null))" } ?? null
    }

    private func text(
        _ left: SQLOperand, _ comparison: PredicateNode.Comparison, _ right: SQLOperand
    ) throws -> String {
        for case .attribute(_, let leaf) in [left, right] where leaf.type != .string && leaf.type != .uri {
            throw Self.unsupported(
                "\(leaf.path) is \(leaf.type), and \(comparison.operator.rawValue) compares text",
                "compare it with == or <")
        }
        if Self.isNull(left) || Self.isNull(right) { return "0" }
        if comparison.operator == .matches, case .constant(.string(let pattern)) = right,
            TextMatch.expression(pattern, comparison.options) == nil
        {
            throw Self.unsupported("`\(pattern)` is no regular expression", "correct the pattern")
        }
        guard let number = PredicateFunctions.operators.firstIndex(of: comparison.operator) else { return "0" }
        let (a, b) = try pair(left, right, [])
        let call = "\(PredicateFunctions.match)(\(number), \(comparison.options.rawValue), \(a), \(b))"
        // A range beside the function lets SQLite use an index.
        if comparison.operator == .beginsWith, comparison.options.isEmpty, case .attribute = left,
            case .constant(.string(let prefix)) = right, !prefix.isEmpty
        {
            return "(\(a) >= \(b) AND \(call))"
        }
        return call
    }

    /// Both as SQL; a constant takes the form that the other's column has.
    private func pair(
        _ left: SQLOperand, _ right: SQLOperand, _ options: PredicateNode.Comparison.Options
    ) throws -> (String, String) {
        let a = try single(left, with: right)
        let b = try single(right, with: left)
        guard !options.intersection([.caseInsensitive, .diacriticInsensitive]).isEmpty else { return (a, b) }
        func fold(_ text: String) -> String { "\(PredicateFunctions.fold)(\(text), \(options.rawValue))" }
        return (fold(a), fold(b))
    }

    private func single(_ operand: SQLOperand, with other: SQLOperand) throws -> String {
        if case .constant(let value) = operand {
            if case .attribute(_, let leaf) = other {
                return try parameter(try PredicateConstant.encode(value, like: leaf))
            }
            if case .object(_, let entity) = other {
                throw Self.unsupported("an object of \(entity.name) cannot be compared with \(value)", "give an object")
            }
        }
        if case .objectURI(let uri) = operand, case .attribute(_, let leaf) = other {
            throw Self.unsupported("\(leaf.path) is an attribute and cannot be compared with the object \(uri)")
        }
        return try sql(operand)
    }

    static func isNull(_ operand: SQLOperand) -> Bool {
        if case .constant(.null) = operand { return true }
        return false
    }

    private static func isConstant(_ operand: SQLOperand) -> Bool {
        switch operand {
        case .constant, .objectURI: true
        default: false
        }
    }
}
