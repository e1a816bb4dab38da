import Foundation
import SQLite
import StoreFormat
import StoreModel

extension FormatCompiler {
    func term(_ expression: ExpressionNode, in scope: QueryScope) throws -> SQLTerm {
        switch expression {
        case .evaluatedObject: return query.object(scope)
        case .constant(let value): return SQLTerm(sql: "", kind: .constant(value), isNullable: value == .null)
        case .objectURI(let uri): return SQLTerm(sql: "", kind: .objectURI(uri), isNullable: false)
        case .keyPath(let path): return try keyPath(path, scope)
        case .variable(let name, let path): return try keyPath(path, try variable(name))
        case .aggregate:
            throw StoreError(.badPredicate, "a list can only stand behind IN or BETWEEN", way: "compare with one value")
        case .function(let name, let arguments): return try function(name, arguments, scope)
        case .subquery(let source, let variable, let condition, let path):
            return try subquery(source, variable, condition, path, scope)
        }
    }

    private func keyPath(_ path: [String], _ scope: QueryScope) throws -> SQLTerm {
        if let i = path.firstIndex(where: { $0.hasPrefix("@") }) {
            return try aggregate(Array(path[..<i]), path[i], Array(path[(i + 1)...]), scope)
        }
        return try query.resolve(path, in: scope)
    }

    private func aggregate(
        _ path: [String], _ name: String, _ rest: [String], _ scope: QueryScope
    ) throws -> SQLTerm {
        guard let split = try split(path, scope) else {
            throw StoreError(
                .badPredicate, "\(name) needs a to-many relationship before it", way: "write it as pages.\(name)")
        }
        let source = try query.elements(split.property, of: split.owner)
        let value = split.rest + rest
        if name == "@count" {
            if let key = rest.first {
                throw StoreError(.unknownKey, "a count has no property \(key)", way: "end the key path with @count")
            }
            guard split.rest.isEmpty else {
                throw StoreError(
                    .badPredicate, "what is counted must be one to-many relationship", way: "count it in a SUBQUERY")
            }
            return SQLTerm(sql: source.select("count(*)"), kind: .number, isNullable: false)
        }
        let functions = ["@sum": "sum", "@min": "min", "@max": "max", "@avg": "avg"]
        guard let function = functions[name], !value.isEmpty else {
            throw StoreError(
                .badPredicate, "\(name) is no operator that a store can compute",
                way: "use @count, @sum, @min, @max or @avg with a key behind it")
        }
        let inner = try query.resolve(value, in: source.scope)
        let sql = source.select("\(function)(\(inner.sql))")
        if name == "@sum" { return SQLTerm(sql: "ifnull(\(sql), 0)", kind: .number, isNullable: false) }
        if let leaf = inner.leaf, name != "@avg" { return SQLTerm(sql: sql, kind: .attribute(leaf)) }
        return SQLTerm(sql: sql, kind: .number)
    }

    private func subquery(
        _ source: ExpressionNode, _ variable: String, _ condition: PredicateNode, _ path: [String], _ scope: QueryScope
    ) throws -> SQLTerm {
        let owner: QueryScope
        let keys: [String]
        switch source {
        case .keyPath(let path): (owner, keys) = (scope, path)
        case .variable(let name, let path): (owner, keys) = (try self.variable(name), path)
        default:
            throw StoreError(.badPredicate, "SUBQUERY needs a key path to a to-many relationship first")
        }
        guard let split = try split(keys, owner), split.rest.isEmpty, path == ["@count"] else {
            throw StoreError(
                .badPredicate, "of a SUBQUERY over a to-many relationship only @count can be taken",
                way: "write SUBQUERY(items, $x, …).@count > 0")
        }
        let elements = try query.elements(split.property, of: split.owner)
        var inner = self
        inner.variables[variable] = elements.scope
        let sql = try inner.condition(condition, in: scope)
        return SQLTerm(sql: elements.select("count(*)", where: "(\(sql))"), kind: .number, isNullable: false)
    }

    private static let arithmetic = [
        "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/", "modulus:by:": "%",
    ]

    private func function(_ name: String, _ arguments: [ExpressionNode], _ scope: QueryScope) throws -> SQLTerm {
        func operand(_ i: Int) throws -> String {
            let first = try term(arguments[i], in: scope)
            return try query.sql(first, beside: nil)
        }
        if let symbol = Self.arithmetic[name], arguments.count == 2 {
            return SQLTerm(sql: "(\(try operand(0)) \(symbol) \(try operand(1)))", kind: .number)
        }
        switch (name, arguments.count) {
        case ("now", 0), ("now:", 0):
            return SQLTerm(sql: "", kind: .constant(.date(Date())), isNullable: false)
        case ("abs:", 1): return SQLTerm(sql: "abs(\(try operand(0)))", kind: .number)
        case ("length:", 1): return SQLTerm(sql: "length(\(try operand(0)))", kind: .number)
        case ("uppercase:", 1): return SQLTerm(sql: "\(TextFunctions.upper)(\(try operand(0)))", kind: .text)
        case ("lowercase:", 1): return SQLTerm(sql: "\(TextFunctions.lower)(\(try operand(0)))", kind: .text)
        case ("count:", 1):
            if case .keyPath(let path) = arguments[0] { return try keyPath(path + ["@count"], scope) }
            if case .subquery(let source, let variable, let condition, _) = arguments[0] {
                return try subquery(source, variable, condition, ["@count"], scope)
            }
        case ("sum:", 1), ("min:", 1), ("max:", 1), ("average:", 1):
            guard case .keyPath(let path) = arguments[0], path.count > 1 else { break }
            let op = name == "average:" ? "@avg" : "@" + name.dropLast()
            return try aggregate(Array(path.dropLast()), op, Array(path.suffix(1)), scope)
        case ("CAST", 2):
            guard case .constant(.string(let type)) = arguments[1] else { break }
            if type == "NSString" { return SQLTerm(sql: "CAST(\(try operand(0)) AS TEXT)", kind: .text) }
            if type == "NSNumber" { return SQLTerm(sql: "CAST(\(try operand(0)) AS NUMERIC)", kind: .number) }
        default: break
        }
        throw StoreError(
            .badPredicate, "the function \(name) with \(arguments.count) arguments is none that a store can compute",
            way: "use key paths, arithmetic, now(), length:, uppercase:, lowercase:, abs: or an aggregate")
    }
}
