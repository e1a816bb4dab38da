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
            let value = try folded(left, comparison.options)
            let low = try folded(bounds[0], comparison.options)
            let high = try folded(bounds[1], comparison.options)
            return "(\(value) >= \(low) AND \(value) <= \(high))"
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
            guard op == .equal || op == .notEqual else { return "0" }
            if Self.isConstant(other) { return Self.isNull(other) == (op == .equal) ? "1" : "0" }
            return "\(try sql(other)) IS \(op == .equal ? "" : "NOT ")NULL"
        }
        if isUnsaved(left) || isUnsaved(right) { return op == .notEqual ? "1" : "0" }
        let a = try folded(left, comparison.options)
        let b = try folded(right, comparison.options)
        let isConstant = Self.isConstant(left) || Self.isConstant(right)
        switch op {
        case .equal: return isConstant ? "\(a) = \(b)" : "\(a) IS \(b)"
        case .notEqual: return "\(a) IS NOT \(b)"
        default: return "\(a) \(op.rawValue) \(b)"
        }
    }

    private func membership(
        _ left: SQLOperand, _ comparison: PredicateNode.Comparison, _ right: SQLOperand
    ) throws -> String {
        guard case .list(let elements) = right else {
            throw Self.unsupported("IN needs a list or a collection behind it", "write it with {…}")
        }
        var constants: [SQLValue] = []
        var others: [String] = []
        var hasNull = false
        for element in elements {
            switch element {
            case .constant(.null): hasNull = true
            case .constant(.string(let text)): constants.append(.text(TextMatch.fold(text, comparison.options)))
            case .constant(let value): constants.append(PredicateConstant.natural(value))
            case .objectURI(let uri):
                if let key = ObjectURI.key(uri, schema)?.key { constants.append(.integer(key)) }
            default:
                // Of two columns that both have no value, neither tells the other from it.
                others.append("\(try folded(left, comparison.options)) IS \(try folded(element, comparison.options))")
            }
        }
        var conditions: [String] = others
        if !constants.isEmpty {
            let value = try folded(left, comparison.options)
            conditions.append("\(value) IN \(try list(constants))")
        }
        if hasNull { conditions.append("\(try sql(left)) IS NULL") }
        return conditions.isEmpty ? "0" : "(\(conditions.joined(separator: " OR ")))"
    }

    private func list(_ values: [SQLValue]) throws -> String {
        guard values.count < ValueList.minimumCount else {
            let list = ValueList(values)
            return list.sql(try parameter(list.parameter))
        }
        return "(\(try values.map { try parameter($0) }.joined(separator: ", ")))"
    }

    private func text(
        _ left: SQLOperand, _ comparison: PredicateNode.Comparison, _ right: SQLOperand
    ) throws -> String {
        if Self.isNull(left) || Self.isNull(right) { return "0" }
        let (a, b) = (try sql(left), try sql(right))
        let call = PredicateFunctions.condition(a, comparison.operator, b, comparison.options)
        // A range beside the function lets SQLite use an index.
        if comparison.operator == .beginsWith, comparison.options.isEmpty, case .attribute = left,
            case .constant(.string(let prefix)) = right, !prefix.isEmpty
        {
            return "(\(a) >= \(b) AND \(call))"
        }
        return call
    }

    /// The operand's SQL, without what the options leave out of account.
    private func folded(_ operand: SQLOperand, _ options: PredicateNode.Comparison.Options) throws -> String {
        guard !options.isEmpty else { return try sql(operand) }
        if case .constant(.string(let text)) = operand { return try parameter(.text(TextMatch.fold(text, options))) }
        return "\(PredicateFunctions.fold)(\(try sql(operand)), \(options.rawValue))"
    }

    /// An object that is in no row: nothing that was saved is equal to it.
    private func isUnsaved(_ operand: SQLOperand) -> Bool {
        if case .objectURI(let uri) = operand { return ObjectURI.key(uri, schema)?.key == nil }
        return false
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
