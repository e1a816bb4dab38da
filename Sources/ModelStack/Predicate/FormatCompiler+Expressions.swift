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
        case .conditional(let condition, let yes, let no):
            let test = try self.condition(condition, in: scope)
            let (a, b) = (try term(yes, in: scope), try term(no, in: scope))
            let sql = "(CASE WHEN \(test) THEN \(try query.sql(a, beside: b)) ELSE \(try query.sql(b, beside: a)) END)"
            return SQLTerm(sql: sql, kind: .other)
        case .function(let name, let arguments): return try function(name, arguments, scope)
        case .subquery(let source, let variable, let condition, _):
            return try subquery(source, variable, condition, scope)
        case .archived(let part):
            throw StoreError(.badPredicate, "a \(part.className) cannot be turned into SQL", way: "leave it out")
        }
    }

    private func keyPath(_ path: [String], _ scope: QueryScope) throws -> SQLTerm {
        guard let i = path.firstIndex(where: { $0.hasPrefix("@") }) else { return try query.resolve(path, in: scope) }
        guard let split = try split(Array(path[..<i]), scope) else {
            throw StoreError(.badPredicate, "\(path[i]) needs a to-many relationship before it")
        }
        let source = try query.elements(split.property, of: split.owner)
        if path[i] == "@count" { return SQLTerm(sql: source.select("count(*)"), kind: .number, isNullable: false) }
        let functions = ["@sum": "total", "@min": "min", "@max": "max", "@avg": "avg"]
        guard let function = functions[path[i]] else {
            throw StoreError(.badPredicate, "\(path[i]) is no operator that a store can compute")
        }
        let value = try query.resolve(path[(i + 1)...], in: source.scope)
        return SQLTerm(sql: source.select("\(function)(\(value.sql))"), kind: .other)
    }

    private func subquery(
        _ source: ExpressionNode, _ variable: String, _ condition: PredicateNode, _ scope: QueryScope
    ) throws -> SQLTerm {
        let owner: QueryScope
        let keys: [String]
        switch source {
        case .keyPath(let path): (owner, keys) = (scope, path)
        case .variable(let name, let path): (owner, keys) = (try self.variable(name), path)
        default:
            throw StoreError(.badPredicate, "SUBQUERY needs a key path to a to-many relationship first")
        }
        guard let split = try split(keys, owner) else {
            throw StoreError(.badPredicate, "\(source.formatString) leads over no to-many relationship")
        }
        let elements = try query.elements(split.property, of: split.owner)
        var inner = self
        inner.variables[variable] = elements.scope
        let sql = try inner.condition(condition, in: scope)
        return SQLTerm(sql: elements.select("count(*)", where: "(\(sql))"), kind: .number, isNullable: false)
    }

    private func function(_ name: String, _ arguments: [ExpressionNode], _ scope: QueryScope) throws -> SQLTerm {
        if name == "now", arguments.isEmpty {
            return SQLTerm(sql: "", kind: .constant(.date(Date())), isNullable: false)
        }
        let values = try arguments.map { try query.sql(try term($0, in: scope), beside: nil) }
        guard let call = PredicateFunctions.call(name, values) else {
            throw StoreError(.badPredicate, "the function \(name) cannot be computed in SQL")
        }
        return SQLTerm(sql: call, kind: .other)
    }
}
