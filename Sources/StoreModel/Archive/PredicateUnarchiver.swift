import Foundation
import KeyedArchive

/// Reads the archives of `NSPredicate` and `NSExpression`.
struct PredicateUnarchiver {
    let source: String
    let place: String
    let budget: ReadingBudget
    /// Notes what is kept as it stands, since nothing here evaluates it; without it, such parts are refused.
    let unread: UnreadKeys?
    /// As deep as the parser goes, so that what is read here can be read from its text too.
    private static let maximumDepth = 64

    private func malformed(_ reason: String) -> ModelError {
        .malformed(source: source, reason: "the predicate of \(place) \(reason)")
    }

    private func unsupported(_ what: String) -> ModelError { .unsupported(what: what, place: place) }

    private func checked(_ depth: Int) throws(ModelError) -> Int {
        try budget.spend()
        guard depth < Self.maximumDepth else { throw malformed("contains itself or is too deep") }
        return depth + 1
    }

    /// What has no form here, as it stands.
    /// - Parameter error: why it has none; thrown where nothing is to be kept.
    private func kept(_ object: ArchivedObject, _ error: ModelError) throws(ModelError) -> ArchivedPart {
        guard case .unsupported(let what, _) = error, let unread else { throw error }
        let archive: Data
        do {
            archive = try object.extracted()
        } catch {
            throw malformed("holds what no archive can: \(error)")
        }
        // Each such part holds a copy of all that it reaches.
        try budget.spend(archive.count / 16)
        guard let part = ArchivedPart(object, archive: archive) else { throw error }
        unread.add("predicate", "\(part.className): \(what)", place)
        return part
    }

    // MARK: Predicates

    func predicate(_ object: ArchivedObject, depth: Int = 0) throws(ModelError) -> PredicateNode {
        let depth = try checked(depth)
        do {
            return try readPredicate(object, depth)
        } catch {
            let part = try kept(object, error)
            guard part.isPredicate else { throw error }
            return .comparison(.init(.archived(part), .equal, .constant(.bool(true))))
        }
    }

    private func readPredicate(_ object: ArchivedObject, _ depth: Int) throws(ModelError) -> PredicateNode {
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
                guard parts.count == 1, let first = parts.first else {
                    throw unsupported("NOT of \(parts.count) predicates")
                }
                return .not(first)
            case 1: return parts.isEmpty ? .constant(true) : .and(parts)
            case 2: return parts.isEmpty ? .constant(false) : .or(parts)
            case let type: throw unsupported("a compound of type \(type.map { "\($0)" } ?? "(none)")")
            }
        case "NSComparisonPredicate": return .comparison(try comparison(object, depth))
        case let name: throw unsupported("predicate class \(name ?? "(none)")")
        }
    }

    private static let operators: [Int64: PredicateNode.Comparison.Operator] = [
        0: .less, 1: .lessOrEqual, 2: .greater, 3: .greaterOrEqual, 4: .equal, 5: .notEqual, 6: .matches, 7: .like,
        8: .beginsWith, 9: .endsWith, 10: .in, 99: .contains, 100: .between,
    ]

    private func comparison(_ object: ArchivedObject, _ depth: Int) throws(ModelError) -> PredicateNode.Comparison {
        guard let left = object["NSLeftExpression"], let right = object["NSRightExpression"],
            let archived = object["NSPredicateOperator"]
        else { throw unsupported("a comparison without both sides and an operator") }
        let code = archived["NSOperatorType"]?.integer ?? -1
        guard let op = Self.operators[code] else {
            let selector = archived["NSSelectorName"]?.string ?? archived["NSSelector"]?.string
            throw unsupported("predicate operator \(code)\(selector.map { " by \($0)" } ?? "")")
        }
        let modifier: PredicateNode.Comparison.Modifier
        switch archived["NSModifier"]?.integer ?? 0 {
        case 0: modifier = .direct
        case 1: modifier = .all
        case 2: modifier = .any
        case let other: throw unsupported("predicate modifier \(other)")
        }
        let bits = (archived["NSOptions"] ?? archived["NSFlags"])?.integer ?? 0
        guard 0...15 ~= bits else { throw unsupported("comparison options \(bits)") }
        return .init(
            try expression(left, depth: depth), op, try expression(right, depth: depth),
            options: .init(rawValue: Int(bits)), modifier: modifier)
    }

    // MARK: Expressions

    func expression(_ object: ArchivedObject, depth: Int = 0) throws(ModelError) -> ExpressionNode {
        let depth = try checked(depth)
        do {
            return try readExpression(object, depth)
        } catch {
            return .archived(try kept(object, error))
        }
    }

    private func readExpression(_ object: ArchivedObject, _ depth: Int) throws(ModelError) -> ExpressionNode {
        switch object.className {
        case "NSSelfExpression": return .evaluatedObject
        case "NSConstantValueExpression": return try constant(object)
        case "NSVariableExpression":
            guard let name = object["NSVariable"]?.string, PredicateLexer.isName(name) else {
                throw unsupported("a variable without a name")
            }
            return .variable(name, keyPath: [])
        case "NSKeyPathSpecifierExpression":
            guard let path = object["NSKeyPath"]?.string else { throw unsupported("a key path without a text") }
            return .keyPath(try keys(path))
        case "NSAggregateExpression":
            var nodes: [ExpressionNode] = []
            for element in object["NSCollection"]?.elements ?? [] {
                nodes.append(
                    try element.map { part throws(ModelError) in try expression(part, depth: depth) }
                        ?? .constant(.null))
            }
            return .aggregate(nodes)
        case "NSSubqueryExpression": return try subquery(object, depth)
        case "NSTernaryExpression":
            guard let condition = object["NSPredicate"], let yes = object["NSTrueExpression"],
                let no = object["NSFalseExpression"]
            else { throw unsupported("an incomplete TERNARY") }
            return .conditional(
                try predicate(condition, depth: depth), then: try expression(yes, depth: depth),
                else: try expression(no, depth: depth))
        case "NSKeyPathExpression", "NSFunctionExpression": return try function(object, depth)
        case let name: throw unsupported("expression class \(name ?? "(none)")")
        }
    }

    private func constant(_ object: ArchivedObject) throws(ModelError) -> ExpressionNode {
        let values = ModelValueUnarchiver(source: source, budget: budget)
        guard let value = object["NSConstantValue"] else {
            // A class itself, which stands where its own functions are called.
            if let name = object["NSConstantValueClassName"]?.string {
                throw unsupported("the class \(name) as a value")
            }
            return .constant(.null)
        }
        guard let elements = value.elements else { return .constant(try values.value(value, place: place)) }
        var nodes: [ExpressionNode] = []
        for element in elements {
            let element = try element.map { part throws(ModelError) in try values.value(part, place: place) }
            nodes.append(.constant(element ?? .null))
        }
        return .aggregate(nodes)
    }

    /// The keys of a path whose text can be read again.
    private func keys(_ path: String) throws(ModelError) -> [String] {
        let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard keys.allSatisfy({ PredicateLexer.isKey($0) }) else { throw unsupported("the key path `\(path)`") }
        return keys
    }

    private func subquery(_ object: ArchivedObject, _ depth: Int) throws(ModelError) -> ExpressionNode {
        guard let collection = object["NSCollection"], let condition = object["NSPredicate"],
            let variable = object["NSVariable"]?.string ?? object["NSVariableExpression"]?["NSVariable"]?.string
                ?? object["NSVariable"]?["NSVariable"]?.string, PredicateLexer.isName(variable)
        else { throw unsupported("an incomplete SUBQUERY") }
        return .subquery(
            try expression(collection, depth: depth), variable: variable, try predicate(condition, depth: depth),
            keyPath: [])
    }

    private func function(_ object: ArchivedObject, _ depth: Int) throws(ModelError) -> ExpressionNode {
        guard let selector = object["NSSelectorName"]?.string, !selector.isEmpty else {
            throw unsupported("a function without a name")
        }
        guard let operand = object["NSOperand"] else { throw unsupported("a call of \(selector) on nothing") }
        var arguments: [ExpressionNode] = []
        for argument in object["NSArguments"]?.elements ?? [] {
            if let argument { arguments.append(try expression(argument, depth: depth)) }
        }
        if selector == "valueForKey:" || selector == "valueForKeyPath:", arguments.count == 1 {
            let keys: [String]
            switch arguments[0] {
            case .keyPath(let path): keys = path
            case .constant(.string(let text)): keys = try self.keys(text)
            default: throw unsupported("a key path that is none")
            }
            return try expression(operand, depth: depth).appending(keys)
        }
        // The library's own functions belong to a class that stands as a constant in the operand's place.
        if operand["NSConstantValueClassName"]?.string == "_NSPredicateUtilities" {
            if selector == "castObject:toType:", arguments.count == 2 { return .function("CAST", arguments) }
            // A name has a colon for each argument, as the format language takes for granted too.
            guard PredicateLexer.isFunction(selector, of: arguments.count) else {
                throw unsupported("a call of \(selector) with \(arguments.count) arguments")
            }
            return .function(selector, arguments)
        }
        return .function("FUNCTION", [try expression(operand, depth: depth), .constant(.string(selector))] + arguments)
    }
}
