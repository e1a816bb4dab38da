import SQLite
import StoreFormat
import StoreModel

/// One row that a query ranges over, with the rows that its to-one relationships lead to joined in.
final class SQLScope {
    let alias: String
    let entity: SchemaEntity
    private(set) var joins: [String] = []
    private var joined: [String: (alias: String, entity: SchemaEntity)] = [:]

    init(alias: String, entity: SchemaEntity) {
        self.alias = alias
        self.entity = entity
    }

    /// The alias of the row that a to-one leads to; joined once for each path.
    func join(
        from alias: String, _ key: RelationshipLayout.ForeignKey, of holder: SchemaEntity, to destination: SchemaEntity,
        makeAlias: () -> String
    ) -> String {
        let column = holder.layout.columns[key.column].sqlIdentifier
        let name = "\(alias).\(column)"
        if let known = joined[name] { return known.alias }
        let made = makeAlias()
        joins.append(
            "LEFT JOIN \(destination.layout.table.sqlIdentifier) AS \(made) ON \(made).Z_PK = \(alias).\(column)")
        joined[name] = (made, destination)
        return made
    }

    /// ` LEFT JOIN …` for each, or nothing.
    var joinSQL: String { joins.map { " " + $0 }.joined() }
}

/// What an expression of a predicate is in SQL.
indirect enum SQLOperand {
    /// An attribute's column.
    case attribute(sql: String, leaf: LeafLayout)
    /// The key of an object.
    case object(sql: String, entity: SchemaEntity)
    /// A number, a text or another value that SQL computes.
    case computed(sql: String)
    case constant(ModelValue)
    /// An object's URI.
    case objectURI(String)
    case list([SQLOperand])
    case collection(SQLCollection)
}

/// A to-many relationship of a row, and what of its objects is meant.
struct SQLCollection {
    let alias: String
    let relationship: SchemaRelationship
    let destination: SchemaEntity
    /// The key path from the objects on; empty for the objects themselves.
    let rest: [String]
}
