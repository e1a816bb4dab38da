import Foundation
import SQLite
import StoreFormat
import StoreModel

/// Builds one SQL query: hands out aliases and parameters, and resolves key paths to columns.
///
/// Both predicate languages, Foundation's `#Predicate` and NSPredicate's format, are compiled through it.
final class QueryBuilder {
    let plan: StorePlan
    private(set) var parameters: [SQLValue] = []
    private var aliases = 0

    init(_ plan: StorePlan) {
        self.plan = plan
    }

    func nextAlias() -> String {
        aliases += 1
        return "t\(aliases - 1)"
    }

    /// Most parameters that a query gets; what comes beyond is written into the text.
    private static let maximumParameters = 500

    func bind(_ value: SQLValue) -> String {
        if case .null = value { return "NULL" }
        guard parameters.count < Self.maximumParameters else { return value.sqlLiteral }
        parameters.append(value)
        return "?\(parameters.count)"
    }

    /// A scope with a FROM of its own.
    func scope(_ entity: EntityPlan) -> QueryScope {
        QueryScope(entity, alias: nextAlias(), from: QueryFrom())
    }

    // MARK: Key paths

    /// The value of a key path that leads over to-ones.
    /// - Throws: `StoreError` `UnknownKey` or `BadPredicate`.
    func resolve(_ path: some Collection<String>, in scope: QueryScope) throws -> SQLTerm {
        var term = object(scope)
        for name in path { term = try step(term, name) }
        return term
    }

    /// The scope's own object.
    func object(_ scope: QueryScope) -> SQLTerm {
        SQLTerm(sql: "\(scope.alias).Z_PK", kind: .object(scope.entity), isNullable: false, scope: scope)
    }

    /// The row of an object's term: a to-one's destination is joined only when a key path goes on behind it.
    func scope(of term: SQLTerm) throws -> QueryScope {
        if let scope = term.scope { return scope }
        guard let origin = term.origin else {
            throw StoreError(.badPredicate, "no property can be taken of \(term.sql)")
        }
        return try origin.owner.destination(of: origin.property, origin.relationship, self)
    }

    /// One step of a key path.
    func step(_ term: SQLTerm, _ name: String) throws -> SQLTerm {
        switch term.kind {
        case .object:
            return try property(name, of: try self.scope(of: term))
        case .composite(let attribute, let columns):
            guard let i = attribute.leaves.firstIndex(where: { $0.name == name }) else {
                throw StoreError(
                    .unknownKey, "\(attribute.name) has no element \(name)",
                    way: "its elements are \(attribute.leaves.map(\.name).joined(separator: ", "))")
            }
            return SQLTerm(sql: columns[i], kind: .attribute(attribute.leaves[i]))
        default: break
        }
        throw StoreError(
            .badPredicate, "nothing can be reached by .\(name) from a value", way: "end the key path before it")
    }

    private func property(_ name: String, of scope: QueryScope) throws -> SQLTerm {
        let property = try scope.entity.property(name)
        switch property.kind {
        case .attribute(let attribute):
            let columns = attribute.leaves.indices.map { scope.column(property.slot + $0) }
            if let leaf = attribute.leaf {
                return SQLTerm(sql: columns[0], kind: .attribute(leaf))
            }
            return SQLTerm(sql: columns.first ?? "NULL", kind: .composite(attribute, columns: columns))
        case .toOne(let relationship, _):
            let destination = try plan.destination(relationship)
            return SQLTerm(
                sql: scope.column(property.slot), kind: .object(destination),
                origin: .init(owner: scope, property: property, relationship: relationship))
        case .toMany:
            throw StoreError(
                .badPredicate,
                "\(scope.entity.name).\(name) is a to-many relationship, and no value can be taken of it here",
                way: "use ANY, ALL, @count or SUBQUERY; in #Predicate contains(where:), isEmpty or count")
        }
    }

    // MARK: Results

    /// The rows of a to-many: the destination's scope, and the condition that ties it to the owner.
    func elements(_ property: PropertyPlan, of owner: QueryScope) throws -> ToManySource {
        guard case .toMany(let relationship, _) = property.kind else {
            throw StoreError(.badPredicate, "\(owner.entity.name).\(property.name) is no to-many relationship")
        }
        let destination = try plan.destination(relationship)
        let scope = self.scope(destination)
        let table = destination.layout.table.sqlIdentifier
        let numbers = destination.layout.treeNumbers.map(String.init).joined(separator: ", ")
        let isOfTree = "\(scope.alias).Z_ENT IN (\(numbers))"
        switch relationship.storage {
        case .toManyByInverse(let key), .toManyWithoutInverse(let key):
            return ToManySource(
                scope: scope, from: "\(table) \(scope.alias)",
                condition: "\(scope.alias).\(key.keyColumn.sqlIdentifier) = \(owner.alias).Z_PK AND \(isOfTree)")
        case .manyToMany(let join):
            let alias = nextAlias()
            return ToManySource(
                scope: scope,
                from: "\(join.table.sqlIdentifier) \(alias) JOIN \(table) \(scope.alias) "
                    + "ON \(scope.alias).Z_PK = \(alias).\(join.otherColumn.sqlIdentifier)",
                condition: "\(alias).\(join.ownColumn.sqlIdentifier) = \(owner.alias).Z_PK")
        case .absent, .toOne:
            return ToManySource(scope: scope, from: "\(table) \(scope.alias)", condition: "0")
        }
    }
}

/// The rows of a to-many inside a subquery.
struct ToManySource {
    let scope: QueryScope
    let from: String
    let condition: String

    /// `SELECT what FROM … WHERE …`, with the joins that the condition asked for.
    func select(_ what: String, where extra: String? = nil) -> String {
        "(SELECT \(what) FROM \(from)\(scope.from.joins) WHERE \(condition)\(extra.map { " AND \($0)" } ?? ""))"
    }
}

extension SQLValue {
    /// The value as SQL text.
    var sqlLiteral: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): value.isFinite ? "\(value)" : (value > 0 ? "9e999" : "-9e999")
        case .text(let value):
            // A NUL would end the statement's text.
            value.utf8.contains(0) ? "CAST(\(SQLValue.blob(Array(value.utf8)).sqlLiteral) AS TEXT)" : value.sqlLiteral
        case .blob(let bytes):
            "X'" + bytes.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined() + "'"
        }
    }
}
