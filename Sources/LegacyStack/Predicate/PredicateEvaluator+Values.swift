import SQLite
import StoreFormat
import StoreModel

extension PredicateEvaluator {
    func value(_ expression: ExpressionNode) -> MemoryValue {
        switch expression {
        case .evaluatedObject: return subject
        case .keyPath(let parts): return follow(parts[...], from: subject)
        case .constant(let value): return .constant(value)
        case .objectURI(let uri): return .identity(uri)
        // Whoever evaluates has asked for these before.
        case .archived: return .null
        case .aggregate(let elements): return .list(elements.map { value($0) })
        case .variable(let name, let path): return follow(path[...], from: variables[name] ?? .null)
        case .function(let name, let arguments): return function(name, arguments.map { value($0) })
        case .conditional(let condition, let yes, let no): return value(evaluate(condition) ? yes : no)
        case .subquery(let source, let variable, let predicate, let path):
            let members = value(source).elements.filter { member in
                var inner = self
                inner.variables[variable] = member
                return inner.evaluate(predicate)
            }
            return follow(path[...], from: .list(members))
        }
    }

    private func follow(_ parts: ArraySlice<String>, from value: MemoryValue) -> MemoryValue {
        guard let key = parts.first else { return value }
        let rest = parts.dropFirst()
        if key == "self" || key == "SELF" || key == "objectID" { return follow(rest, from: value) }
        switch value {
        case .object(let object): return follow(rest, from: object.memoryValue(forKey: key))
        case .dictionary(let values): return follow(rest, from: MemoryValue(values[key]))
        case .list(let members):
            if key.hasPrefix("@") { return aggregate(key, members.map { follow(rest, from: $0) }) }
            // The operator may stand behind the key: `books.pages.@sum`.
            if let last = rest.last, last.hasPrefix("@") {
                return aggregate(last, members.map { follow(parts.dropLast(), from: $0) })
            }
            return .list(members.flatMap { follow(parts, from: $0).nested })
        case .scalar(.text(let text), _) where key == "length" && rest.isEmpty:
            // The rules of compiled models measure a text by it, in the units that `NSString` counts.
            return .scalar(.integer(Int64(text.utf16.count)), leaf: nil)
        case .scalar, .constant, .identity:
            // Nothing leads to nothing: that is counted too.
            return parts.first { $0.hasPrefix("@") }.map { aggregate($0, []) } ?? .null
        }
    }

    private func aggregate(_ name: String, _ values: [MemoryValue]) -> MemoryValue {
        if name == "@count" { return .scalar(.integer(Int64(values.count)), leaf: nil) }
        let columns = values.compactMap { $0.column(like: nil) }.filter { !$0.isNull }
        let numbers = columns.compactMap(\.doubleValue)
        switch name {
        case "@sum": return .scalar(.real(numbers.reduce(0, +)), leaf: nil)
        case "@avg":
            return numbers.isEmpty ? .null : .scalar(.real(numbers.reduce(0, +) / Double(numbers.count)), leaf: nil)
        case "@min":
            return columns.min { SQLValue.compare($0, $1) == .orderedAscending }.map {
                .scalar($0, leaf: values.first?.leaf)
            } ?? .null
        case "@max":
            return columns.max { SQLValue.compare($0, $1) == .orderedAscending }.map {
                .scalar($0, leaf: values.first?.leaf)
            } ?? .null
        default: return .null
        }
    }

    private func function(_ name: String, _ arguments: [MemoryValue]) -> MemoryValue {
        if name == "now" || name == "now:" { return .constant(.date(Date())) }
        let columns = arguments.map { $0.column(like: nil) ?? .null }
        if PredicateFunctions.ofText[name] != nil {
            guard case .text(let text)? = columns.first else { return .null }
            return .scalar(PredicateFunctions.value(name, text), leaf: nil)
        }
        return .scalar(PredicateArithmetic.value(name, columns), leaf: nil)
    }
}

extension MemoryValue {
    /// The elements of a list inside a list, missing values kept.
    fileprivate var nested: [MemoryValue] {
        if case .list(let elements) = self { return elements }
        return [self]
    }
}
