import SQLite
import StoreFormat
import StoreModel

/// A fetch, compiled.
struct FetchPlan {
    let entity: EntityPlan
    let select: SelectPlan
    /// What stands behind SELECT … : FROM, WHERE, ORDER BY.
    let tail: String
    let isOrdered: String
    let parameters: [SQLValue]
    let limit: Int?
    let offset: Int
    let alias: String

    private var page: String {
        guard limit != nil || offset > 0 else { return "" }
        return " LIMIT \(limit ?? -1) OFFSET \(offset)"
    }

    /// All values of the objects.
    var rowsSQL: String { "SELECT \(select.list(alias))\(tail)\(isOrdered)\(page)" }
    /// Entity number and key only.
    var keysSQL: String { "SELECT \(alias).Z_PK, \(alias).Z_ENT\(tail)\(isOrdered)\(page)" }
    var countSQL: String {
        page.isEmpty ? "SELECT count(*)\(tail)" : "SELECT count(*) FROM (SELECT 1\(tail)\(page))"
    }

    /// A fetch by entity name.
    /// - Throws: `StoreError`: `UnknownEntity`, `UnknownKey`, `TypeMismatch`, `BadPredicate`.
    static func compile(_ query: ObjectQuery, _ plan: StorePlan) throws -> FetchPlan {
        let entity = try plan.entity(query.entity)
        try SortLimit.check(query.sort.count)
        let builder = QueryBuilder(plan)
        let scope = builder.scope(entity)
        let condition = try query.predicate.map {
            try FormatCompiler(builder).condition(
                PredicateResolver.resolve($0, entity: entity.name, in: plan.store), in: scope)
        }
        let sort = try query.sort.map { key in
            let term = try builder.resolve(key.keyPath.split(separator: ".").map(String.init), in: scope)
            return try Self.order(term, key.keyPath) + (key.isAscending ? "" : " DESC")
        }
        guard query.limit ?? 0 >= 0, query.offset >= 0 else {
            throw StoreError(.refused, "limit and offset are counts", way: "give numbers of at least 0")
        }
        return FetchPlan(
            entity: entity, scope: scope, builder: builder, plan: plan, condition: condition, sort: sort,
            limit: query.limit,
            offset: query.offset, includesSubentities: query.includesSubentities)
    }

    private static func order(_ term: SQLTerm, _ path: String) throws -> String {
        if case .composite = term.kind {
            throw StoreError(
                .badPredicate, "\(path) is a composite and has no order", way: "sort by one of its elements")
        }
        return term.sql
    }

    init(
        entity: EntityPlan, scope: QueryScope, builder: QueryBuilder, plan: StorePlan, condition: String?,
        sort: [String],
        limit: Int?, offset: Int, includesSubentities: Bool
    ) {
        let select =
            includesSubentities
            ? plan.selects[entity.index] : SelectPlan([entity])
        let numbers = includesSubentities ? entity.layout.treeNumbers : [entity.layout.number]
        var tail = " FROM \(entity.layout.table.sqlIdentifier) \(scope.alias)\(scope.from.joins) WHERE "
        tail +=
            numbers.count == 1
            ? "\(scope.alias).Z_ENT = \(numbers[0])"
            : "\(scope.alias).Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))"
        if let condition { tail += " AND (\(condition))" }
        self.entity = entity
        self.select = select
        self.tail = tail
        isOrdered = " ORDER BY " + (sort + ["\(scope.alias).Z_PK"]).joined(separator: ", ")
        parameters = builder.parameters
        self.limit = limit
        self.offset = offset
        alias = scope.alias
    }
}
