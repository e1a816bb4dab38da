import StoreFormat
import StoreModel

/// Puts values in place of a predicate's variables, and of the key paths behind them.
struct PredicateSubstitution {
    var values: [String: Any]

    /// An argument of a format, as an expression.
    static func expression(_ argument: PredicateArgument) -> ExpressionNode {
        switch argument {
        case .value(let value): .constant(value)
        case .keyPath(let path): .keyPath(path.split(separator: ".").map(String.init))
        case .objectURI(let uri): .objectURI(uri)
        case .list(let elements): .aggregate(elements.map { expression($0) })
        }
    }

    /// - Throws: `StoreError`: `BadPredicate` for a value that no predicate can compare, `UnknownKey` for a path that leads
    ///   nowhere.
    func substitute(_ node: PredicateNode) throws -> PredicateNode {
        switch node {
        case .constant: return node
        case .not(let inner): return .not(try substitute(inner))
        case .and(let parts): return .and(try parts.map { try substitute($0) })
        case .or(let parts): return .or(try parts.map { try substitute($0) })
        case .comparison(var comparison):
            comparison.left = try substitute(comparison.left)
            comparison.right = try substitute(comparison.right)
            return .comparison(comparison)
        }
    }

    private func substitute(_ node: ExpressionNode) throws -> ExpressionNode {
        switch node {
        case .variable(let name, let path):
            guard let value = values[name] else { return node }
            return Self.expression(try NSPredicate.argument(try Self.follow(path[...], from: value), isKeyPath: false))
        case .aggregate(let elements): return .aggregate(try elements.map { try substitute($0) })
        case .function(let name, let arguments): return .function(name, try arguments.map { try substitute($0) })
        case .subquery(let source, let variable, let predicate, let path):
            var inner = self
            inner.values[variable] = nil
            return .subquery(
                try substitute(source), variable: variable, try inner.substitute(predicate), keyPath: path)
        case .conditional(let condition, let yes, let no):
            return .conditional(try substitute(condition), then: try substitute(yes), else: try substitute(no))
        case .evaluatedObject, .keyPath, .constant, .objectURI, .archived: return node
        }
    }

    private static func follow(_ path: ArraySlice<String>, from value: Any?) throws -> Any? {
        guard let key = path.first else { return value }
        let rest = path.dropFirst()
        switch value {
        case nil, is NSNull: return nil
        case let object as NSManagedObject:
            if ["self", "SELF", "objectID"].contains(key) { return try follow(rest, from: object) }
            guard object.info.slots[key] != nil else { throw object.info.unknownKey(key) }
            return try follow(rest, from: object.value(forKey: key))
        case let property as NSPropertyDescription:
            switch key {
            case "name": return try follow(rest, from: property.name)
            case "userInfo": return try follow(rest, from: property.userInfo)
            default: throw nowhere(key, "a property's description")
            }
        case let values as [AnyHashable: Any]: return try follow(rest, from: values[key])
        case is String, is Data: throw nowhere(key, "a value")
        case let members as any Sequence:
            let members = members.map { $0 as Any }
            if key == "@count" { return try follow(rest, from: members.count) }
            return try members.compactMap { try follow(path, from: $0) }
        default: throw nowhere(key, "a value")
        }
    }

    private static func nowhere(_ key: String, _ what: String) -> StoreError {
        StoreError(.unknownKey, "\(what) has no \(key)", way: "correct the key path behind the variable")
    }
}
