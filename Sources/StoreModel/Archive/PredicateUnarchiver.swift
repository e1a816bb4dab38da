import Foundation
import KeyedArchive

/// Reads the archives of `NSPredicate` and `NSExpression`.
struct PredicateUnarchiver {
    let source: String
    let place: String
    let budget: ReadingBudget
    /// As deep as the parser goes, so that what is read here can be read from its text too.
    private static let maximumDepth = 64

    private func malformed(_ reason: String) -> ModelError {
        .malformed(source: source, reason: "the predicate of \(place) \(reason)")
    }

    private func checked(_ depth: Int) throws(ModelError) -> Int {
        try budget.spend()
        guard depth < Self.maximumDepth else { throw malformed("contains itself or is too deep") }
        return depth + 1
    }

    // MARK: Predicates

    func predicate(_ object: ArchivedObject, depth: Int = 0) throws(ModelError) -> PredicateNode {
        let depth = try checked(depth)
        switch object.className {
        case "NSTruePredicate": return .constant(true)
        case "NSFalsePredicate": return .constant(false)
        case "NSCompoundPredicate":
            var parts: [PredicateNode] = []
            for part in object["NSSubpredicates"]?.elements ?? [] {
                if let part { parts.append(try predicate(part, depth: depth)) }
            }
            switch object["NSCompoundPredicateType"]?.integer {
            case 0:
                guard parts.count == 1, let first = parts.first else { throw malformed("negates not exactly one") }
                return .not(first)
            case 1: return parts.isEmpty ? .constant(true) : .and(parts)
            case 2: return parts.isEmpty ? .constant(false) : .or(parts)
            default: throw malformed("joins in an unknown way")
            }
        case "NSComparisonPredicate": return .comparison(try comparison(object, depth))
        case let name: throw .unsupported(what: "predicate class \(name ?? "(none)")", place: place)
        }
    }

    private static let operators: [Int64: PredicateNode.Comparison.Operator] = [
        0: .less, 1: .lessOrEqual, 2: .greater, 3: .greaterOrEqual, 4: .equal, 5: .notEqual, 6: .matches, 7: .like,
        8: .beginsWith, 9: .endsWith, 10: .in, 99: .contains, 100: .between,
    ]

    private func comparison(_ object: ArchivedObject, _ depth: Int) throws(ModelError) -> PredicateNode.Comparison {
        guard let left = object["NSLeftExpression"], let right = object["NSRightExpression"],
            let archived = object["NSPredicateOperator"]
        else { throw malformed("compares without both sides and an operator") }
        let code = archived["NSOperatorType"]?.integer ?? -1
        guard let op = Self.operators[code] else {
            throw .unsupported(what: "predicate operator \(code)", place: place)
        }
        let modifier: PredicateNode.Comparison.Modifier
        switch archived["NSModifier"]?.integer ?? 0 {
        case 0: modifier = .direct
        case 1: modifier = .all
        case 2: modifier = .any
        case let other: throw .unsupported(what: "predicate modifier \(other)", place: place)
        }
        let bits = (archived["NSOptions"] ?? archived["NSFlags"])?.integer ?? 0
        return .init(
            try expression(left, depth: depth), op, try expression(right, depth: depth),
            options: .init(rawValue: Int(bits & 15)), modifier: modifier)
    }

    // MARK: Expressions

    func expression(_ object: ArchivedObject, depth: Int = 0) throws(ModelError) -> ExpressionNode {
        let depth = try checked(depth)
        switch object.className {
        case "NSSelfExpression": return .evaluatedObject
        case "NSConstantValueExpression":
            guard let value = object["NSConstantValue"] else { return .constant(.null) }
            if let elements = value.elements {
                var nodes: [ExpressionNode] = []
                for element in elements {
                    guard let element else { continue }
                    nodes.append(
                        .constant(try ModelValueUnarchiver(source: source, budget: budget).value(element, place: place))
                    )
                }
                return .aggregate(nodes)
            }
            return .constant(try ModelValueUnarchiver(source: source, budget: budget).value(value, place: place))
        case "NSVariableExpression":
            guard let name = object["NSVariable"]?.string else { throw malformed("has a variable without a name") }
            return .variable(name, keyPath: [])
        case "NSKeyPathSpecifierExpression":
            return .keyPath(try path(object))
        case "NSAggregateExpression":
            var nodes: [ExpressionNode] = []
            for element in object["NSCollection"]?.elements ?? [] {
                if let element { nodes.append(try expression(element, depth: depth)) }
            }
            return .aggregate(nodes)
        case "NSSubqueryExpression": return try subquery(object, depth)
        case "NSKeyPathExpression", "NSFunctionExpression": return try function(object, depth)
        case let name: throw .unsupported(what: "expression class \(name ?? "(none)")", place: place)
        }
    }

    private func path(_ object: ArchivedObject) throws(ModelError) -> [String] {
        guard let path = object["NSKeyPath"]?.string, !path.isEmpty else { throw malformed("has an empty key path") }
        return path.split(separator: ".").map(String.init)
    }

    private func subquery(_ object: ArchivedObject, _ depth: Int) throws(ModelError) -> ExpressionNode {
        guard let collection = object["NSCollection"], let condition = object["NSPredicate"],
            let variable = object["NSVariable"]?.string ?? object["NSVariableExpression"]?["NSVariable"]?.string
                ?? object["NSVariable"]?["NSVariable"]?.string
        else { throw malformed("has an incomplete SUBQUERY") }
        return .subquery(
            try expression(collection, depth: depth), variable: variable, try predicate(condition, depth: depth),
            keyPath: [])
    }

    private func function(_ object: ArchivedObject, _ depth: Int) throws(ModelError) -> ExpressionNode {
        guard let selector = object["NSSelectorName"]?.string, !selector.isEmpty else {
            throw malformed("calls a function without a name")
        }
        guard let operand = object["NSOperand"] else { throw malformed("calls \(selector) on nothing") }
        var arguments: [ExpressionNode] = []
        for argument in object["NSArguments"]?.elements ?? [] {
            if let argument { arguments.append(try expression(argument, depth: depth)) }
        }
        if selector == "valueForKey:" || selector == "valueForKeyPath:", arguments.count == 1 {
            let keys: [String]
            switch arguments[0] {
            case .keyPath(let path): keys = path
            case .constant(.string(let text)): keys = text.split(separator: ".").map(String.init)
            default: throw malformed("has a key path that is none")
            }
            return try expression(operand, depth: depth).appending(keys)
        }
        // A name has a colon for each argument, as the format language takes for granted too.
        guard selector.utf8.count(where: { $0 == UInt8(ascii: ":") }) == arguments.count else {
            throw malformed("calls \(selector) with \(arguments.count) arguments")
        }
        // The library's own functions belong to a class that stands as a constant in the operand's place.
        if operand["NSConstantValueClassName"]?.string == "_NSPredicateUtilities" {
            if selector == "castObject:toType:" { return .function("CAST", arguments) }
            return .function(selector, arguments)
        }
        return .function("FUNCTION", [try expression(operand, depth: depth), .constant(.string(selector))] + arguments)
    }
}
