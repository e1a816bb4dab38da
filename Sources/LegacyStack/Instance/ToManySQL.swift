import SQLite
import StoreFormat

/// The queries that read a to-many relationship.
struct ToManySQL {
    /// The members of one object (the parameter), in order: key, entity number, order key.
    let member: String
    /// The members of all objects: the object's key, then as above.
    let all: String

    init(_ relationship: RelationshipLayout, destinationTable: String) {
        switch relationship.storage {
        case .toManyByInverse(let key), .toManyWithoutInverse(let key):
            let column = "d.\(key.keyColumn.sqlIdentifier)"
            let order = key.orderColumn.map { "d.\($0.sqlIdentifier)" }
            let numbers = key.entityNumbers.map(String.init).joined(separator: ", ")
            let from = "FROM \(key.table.sqlIdentifier) AS d"
            let sort = (order.map { "\($0), " } ?? "") + "d.Z_PK"
            let list = "d.Z_PK, d.Z_ENT, \(order ?? "NULL")"
            member = "SELECT \(list) \(from) WHERE \(column) = ? AND d.Z_ENT IN (\(numbers)) ORDER BY \(sort)"
            all =
                "SELECT \(column), \(list) \(from) WHERE \(column) IS NOT NULL AND d.Z_ENT IN (\(numbers)) "
                + "ORDER BY \(column), \(sort)"
        case .manyToMany(let join):
            let own = "j.\(join.ownColumn.sqlIdentifier)"
            let other = "j.\(join.otherColumn.sqlIdentifier)"
            let order = join.orderColumn.map { "j.\($0.sqlIdentifier)" }
            let table = destinationTable.sqlIdentifier
            let from = "FROM \(join.table.sqlIdentifier) AS j JOIN \(table) AS d ON d.Z_PK = \(other)"
            let sort = (order.map { "\($0), " } ?? "") + other
            let list = "d.Z_PK, d.Z_ENT, \(order ?? "NULL")"
            member = "SELECT \(list) \(from) WHERE \(own) = ? ORDER BY \(sort)"
            all = "SELECT \(own), \(list) \(from) ORDER BY \(own), \(sort)"
        case .toOne, .absent:
            member = "SELECT NULL, NULL, NULL WHERE ? IS NULL AND 0"
            all = "SELECT NULL, NULL, NULL, NULL WHERE 0"
        }
    }
}
