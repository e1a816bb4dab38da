import SQLite
import StoreFormat
import StoreModel

/// Compiles predicates and sort keys to SQL.
///
/// Logic is two-valued, as it is for objects in memory: a comparison with a missing value is false, `!=` with one is
/// true, and NOT turns either around.
final class SQLCompiler {
    let schema: Schema
    /// The values of the numbered parameters, from ?1 on.
    private(set) var values: [SQLValue] = []
    private var aliases = 0
    var variables: [String: SQLScope] = [:]

    init(schema: Schema) {
        self.schema = schema
    }

    func makeScope(_ entity: SchemaEntity) -> SQLScope { SQLScope(alias: makeAlias(), entity: entity) }

    func makeAlias() -> String {
        aliases += 1
        return "t\(aliases - 1)"
    }

    /// A parameter that holds the value.
    func parameter(_ value: SQLValue) throws -> String {
        guard values.count < 32_000 else {
            throw StoreError(
                .badPredicate, "the predicate has more than 32000 values outside lists", way: "split the fetch")
        }
        values.append(value)
        return "?\(values.count)"
    }

    static func unsupported(_ what: String, _ way: String = "leave it out, and filter the fetched objects")
        -> StoreError
    {
        StoreError(.badPredicate, what, way: way)
    }

    // MARK: Predicates

    /// The condition of a predicate in the plain form that `PredicateResolver` gives.
    func compile(_ node: PredicateNode, _ scope: SQLScope) throws -> String {
        switch node {
        case .constant(let value): return value ? "1" : "0"
        case .and(let parts): return try joined(parts, " AND ", empty: "1", scope)
        case .or(let parts): return try joined(parts, " OR ", empty: "0", scope)
        case .not(let inner): return "NOT ifnull(\(try compile(inner, scope)), 0)"
        case .comparison(let comparison): return try compile(comparison, scope)
        }
    }

    private func joined(_ parts: [PredicateNode], _ word: String, empty: String, _ scope: SQLScope) throws -> String {
        guard !parts.isEmpty else { return empty }
        return Self.balanced(try parts.map { try compile($0, scope) }[...], word)
    }

    /// Joined as a tree of little depth: SQLite takes no chain of a thousand operators.
    private static func balanced(_ parts: ArraySlice<String>, _ word: String) -> String {
        guard parts.count > 8 else { return "(" + parts.joined(separator: word) + ")" }
        let middle = parts.startIndex + parts.count / 2
        return "(\(balanced(parts[..<middle], word))\(word)\(balanced(parts[middle...], word)))"
    }

    private func compile(_ comparison: PredicateNode.Comparison, _ scope: SQLScope) throws -> String {
        let left = try operand(comparison.left, scope)
        let right = try operand(comparison.right, scope)
        guard case .collection(let collection) = left else {
            return try compare(left, comparison, right)
        }
        switch comparison.modifier {
        case .any, .direct: return try any(collection) { try compare($0, comparison, right) }
        case .none: return "NOT " + (try any(collection) { try compare($0, comparison, right) })
        case .all: return "NOT " + (try any(collection) { "NOT ifnull(\(try compare($0, comparison, right)), 0)" })
        }
    }

    // MARK: To-many

    /// `EXISTS` over the collection's objects.
    func any(_ collection: SQLCollection, _ condition: (SQLOperand) throws -> String) throws -> String {
        let scope = makeScope(collection.destination)
        let member = try path(collection.rest, alias: scope.alias, entity: scope.entity, scope)
        let text: String
        if case .collection(let inner) = member {
            text = try any(inner, condition)
        } else {
            text = try condition(member)
        }
        let (from, link) = try source(collection, scope)
        return "EXISTS (SELECT 1 FROM \(from)\(scope.joinSQL) WHERE \(link) AND \(text))"
    }

    /// The tables that hold a collection's objects, and the condition that they are the row's.
    func source(_ collection: SQLCollection, _ scope: SQLScope) throws -> (from: String, link: String) {
        let table = collection.destination.layout.table.sqlIdentifier
        let numbers = collection.destination.layout.treeNumbers.map(String.init).joined(separator: ", ")
        switch collection.relationship.layout.storage {
        case .toManyByInverse(let key), .toManyWithoutInverse(let key):
            return (
                "\(table) AS \(scope.alias)",
                "\(scope.alias).\(key.keyColumn.sqlIdentifier) = \(collection.alias).Z_PK AND \(scope.alias).Z_ENT IN (\(numbers))"
            )
        case .manyToMany(let join):
            let alias = makeAlias()
            return (
                "\(join.table.sqlIdentifier) AS \(alias) JOIN \(table) AS \(scope.alias) ON \(scope.alias).Z_PK = "
                    + "\(alias).\(join.otherColumn.sqlIdentifier) AND \(scope.alias).Z_ENT IN (\(numbers))",
                "\(alias).\(join.ownColumn.sqlIdentifier) = \(collection.alias).Z_PK"
            )
        case .toOne, .absent:
            return ("\(table) AS \(scope.alias)", "0")
        }
    }
}
