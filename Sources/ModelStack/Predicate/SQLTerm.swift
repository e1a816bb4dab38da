import SQLite
import StoreFormat
import StoreModel

/// A piece of SQL that has a value, with what is known of it.
struct SQLTerm {
    enum Kind {
        /// A column of an attribute, or of a composite's leaf.
        case attribute(LeafLayout)
        /// A key of an object: of the scope's own row, or a to-one's column.
        case object(EntityPlan)
        /// A value that the query was given, before it is bound as some type.
        case constant(ModelValue)
        case objectURI(String)
        /// All leaves of a composite, quoted columns.
        case composite(AttributePlan, columns: [String])
        /// Anything computed.
        case number
        case text
        case boolean
        case other
    }

    var sql: String
    var kind: Kind
    /// Whether the value can be NULL.
    var isNullable = true
    /// The row that an object's key belongs to, where it is there already.
    var scope: QueryScope?
    /// The to-one that an object's key stands in.
    var origin: Origin?

    struct Origin {
        let owner: QueryScope
        let property: PropertyPlan
        let relationship: RelationshipPlan
    }

    var leaf: LeafLayout? {
        if case .attribute(let leaf) = kind { return leaf }
        return nil
    }

    var constant: ModelValue? {
        if case .constant(let value) = kind { return value }
        return nil
    }

    var isNullConstant: Bool { constant == .null }

    var isObject: Bool {
        if case .object = kind { return true }
        return false
    }
}

/// A table's row that expressions are about: the query's own, one that a to-one leads to, or one of a to-many's.
final class QueryScope {
    let entity: EntityPlan
    let alias: String
    /// Where joins for to-one key paths are collected: the enclosing FROM.
    let from: QueryFrom
    fileprivate var joined: [String: QueryScope] = [:]

    init(_ entity: EntityPlan, alias: String, from: QueryFrom) {
        self.entity = entity
        self.alias = alias
        self.from = from
    }

    /// The quoted column of a slot; `NULL` where the table has none.
    func column(_ slot: Int) -> String {
        let column = entity.columns[slot]
        return column < 0 ? "NULL" : "\(alias).\(entity.layout.columns[column].sqlIdentifier)"
    }

    /// The destination's row of a to-one, joined once.
    func destination(of property: PropertyPlan, _ relationship: RelationshipPlan, _ query: QueryBuilder) throws
        -> QueryScope
    {
        if let known = joined[property.name] { return known }
        let plan = try query.plan.destination(relationship)
        let scope = QueryScope(plan, alias: query.nextAlias(), from: from)
        from.joins +=
            " LEFT JOIN \(plan.layout.table.sqlIdentifier) \(scope.alias) ON \(scope.alias).Z_PK = \(column(property.slot))"
        joined[property.name] = scope
        return scope
    }
}

/// The joins behind one FROM.
final class QueryFrom {
    var joins = ""
}
