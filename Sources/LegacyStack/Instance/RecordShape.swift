import SQLite
import StoreFormat

/// The queries that read an entity's objects as records, and where each relationship is in their rows.
struct RecordShape: Sendable {
    /// To-one relationships, and the column with the entity number of the row at the other end; -1 for none.
    let toOnes: [(name: String, column: Int)]
    let toManys: [(name: String, sql: ToManySQL)]
    /// One object by its key.
    let one: String
    /// All objects by key.
    let all: String
    /// The objects with keys above one and not above another, by key.
    let range: String

    /// The rows are `Z_PK, Z_OPT`, the columns, then the entity number of the row that each to-one leads to.
    init(_ layout: EntityLayout, _ store: StoreLayout) {
        var toOnes: [(String, Int)] = []
        var toManys: [(String, ToManySQL)] = []
        var list = "t.Z_PK, t.Z_OPT" + layout.columns.map { ", t.\($0.sqlIdentifier)" }.joined()
        var joins = ""
        var joined = 0
        for relationship in layout.relationships {
            let destination = store[relationship.description.destinationEntityName]
            if relationship.isToMany {
                let sql = ToManySQL(relationship, destinationTable: destination?.table ?? "")
                toManys.append((relationship.name, sql))
                continue
            }
            guard case .toOne(let key) = relationship.storage, let destination else {
                toOnes.append((relationship.name, -1))
                continue
            }
            toOnes.append((relationship.name, 2 + layout.columns.count + joined))
            list += ", d\(joined).Z_ENT"
            joins += " LEFT JOIN \(destination.table.sqlIdentifier) AS d\(joined)"
            joins += " ON d\(joined).Z_PK = t.\(layout.columns[key.column].sqlIdentifier)"
            joined += 1
        }
        self.toOnes = toOnes
        self.toManys = toManys
        let select = "SELECT \(list) FROM \(layout.table.sqlIdentifier) AS t\(joins) WHERE t.Z_ENT = \(layout.number)"
        one = select + " AND t.Z_PK = ?"
        all = select + " ORDER BY t.Z_PK"
        range = select + " AND t.Z_PK > ? AND t.Z_PK <= ? ORDER BY t.Z_PK"
    }
}
