import SQLite
import StoreFormat
import StoreModel

/// A fetch compiled to SQL.
struct FetchPlan {
    /// One key to sort by.
    struct Sort {
        var path: String
        var isAscending: Bool
        var isCaseInsensitive = false
    }

    /// The fetch without its list of columns: `FROM … WHERE … ORDER BY … LIMIT …`.
    private let tail: String
    private let unordered: String
    let values: [SQLValue]
    let entity: SchemaEntity
    let includesSubentities: Bool
    private let schema: Schema

    init(
        _ entity: SchemaEntity, _ schema: Schema, predicate: PredicateNode?, sort: [Sort] = [], limit: Int? = nil,
        offset: Int = 0, includesSubentities: Bool = true
    ) throws {
        let compiler = SQLCompiler(schema: schema)
        try self.init(
            entity, compiler.makeScope(entity), compiler, schema, predicate: predicate, sort: sort, limit: limit,
            offset: offset, includesSubentities: includesSubentities)
    }

    /// The same in a scope that more is selected from.
    init(
        _ entity: SchemaEntity, _ scope: SQLScope, _ compiler: SQLCompiler, _ schema: Schema, predicate: PredicateNode?,
        sort: [Sort], limit: Int?, offset: Int, includesSubentities: Bool
    ) throws {
        try SortLimit.check(sort.count)
        let condition = try predicate.map {
            try compiler.compile(PredicateResolver.resolve($0, entity: entity.name, in: entity.store), scope)
        }
        var order: [String] = []
        for key in sort {
            order.append(try Self.order(key, compiler, scope))
        }
        let numbers = includesSubentities ? entity.layout.treeNumbers : [entity.layout.number]
        let list = numbers.map(String.init).joined(separator: ", ")
        var text = " FROM \(entity.layout.table.sqlIdentifier) AS \(scope.alias)\(scope.joinSQL) WHERE "
        text += numbers.count == 1 ? "\(scope.alias).Z_ENT = \(list)" : "\(scope.alias).Z_ENT IN (\(list))"
        if let condition { text += " AND \(condition)" }
        order.append("\(scope.alias).Z_PK")
        var window = ""
        if limit != nil || offset > 0 { window = " LIMIT \(limit ?? -1) OFFSET \(max(0, offset))" }
        unordered = text + window
        tail = text + " ORDER BY " + order.joined(separator: ", ") + window
        values = compiler.values
        self.entity = entity
        self.includesSubentities = includesSubentities
        self.schema = schema
    }

    init(_ query: ObjectQuery, _ schema: Schema) throws {
        try self.init(
            try schema.entity(query.entity), schema, predicate: query.predicate,
            sort: query.sort.map { Sort(path: $0.keyPath, isAscending: $0.isAscending) }, limit: query.limit,
            offset: query.offset, includesSubentities: query.includesSubentities)
    }

    private static func order(_ key: Sort, _ compiler: SQLCompiler, _ scope: SQLScope) throws -> String {
        let parts = key.path.split(separator: ".").map(String.init)
        guard !parts.isEmpty else { throw SQLCompiler.unsupported("a sort key is empty", "name a property") }
        let operand = try compiler.path(parts, alias: scope.alias, entity: scope.entity, scope)
        if case .collection = operand {
            throw SQLCompiler.unsupported(
                "\(key.path) leads over a to-many relationship and gives no order", "sort by an attribute")
        }
        var sql = try compiler.sql(operand)
        if key.isCaseInsensitive {
            sql = "\(PredicateFunctions.fold)(\(sql), \(TextMatch.Options.caseInsensitive.rawValue))"
        }
        return sql + (key.isAscending ? "" : " DESC")
    }

    /// Key and entity number of each object.
    var keySQL: String { "SELECT t0.Z_PK, t0.Z_ENT" + tail }
    /// How many objects; limit and offset count.
    var countSQL: String { "SELECT count(*) FROM (SELECT 1" + unordered + ")" }

    /// The rows of every entity in the tree: key, entity number, version, then `columns`.
    func rowSQL(_ columns: RowColumns) -> String {
        "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT" + columns.names.map { ", t0.\($0.sqlIdentifier)" }.joined() + tail
    }

    /// Expressions in place of rows, for results that are dictionaries.
    func select(_ list: [String], isDistinct: Bool) -> String {
        "SELECT \(isDistinct ? "DISTINCT " : "")\(list.joined(separator: ", "))" + tail
    }
}

/// The columns that the rows of an inheritance tree use together, and where each entity's are among them.
struct RowColumns {
    let names: [String]
    /// By entity number: the entity, and the position in `names` of each of its columns.
    let entities: [Int64: (entity: SchemaEntity, positions: [Int])]

    init(_ entity: SchemaEntity, _ schema: Schema, includesSubentities: Bool) {
        var names: [String] = []
        var places: [String: Int] = [:]
        var entities: [Int64: (entity: SchemaEntity, positions: [Int])] = [:]
        for index in includesSubentities ? entity.treeIndexes : [entity.index] {
            let member = schema.entities[index]
            let positions = member.layout.columns.map { name in
                if let place = places[name] { return place }
                places[name] = names.count
                names.append(name)
                return names.count - 1
            }
            entities[member.layout.number] = (member, positions)
        }
        self.names = names
        self.entities = entities
    }
}
