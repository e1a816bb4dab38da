import SQLite

/// A table of the model's that the file has not, though its catalogue has the entities.
public struct LostTable: Sendable, Hashable {
    /// The table's name.
    public var table: String
    /// The root of the tree whose rows were in it.
    public var root: String
    /// The tree's entities by number.
    public var entities: [Int64: String]
}

extension Store {
    /// The tables that are gone since the store was adopted: those that it lacked then are on record. In an unadopted store
    /// all that it lacks.
    public func lostTables(_ connection: Connection) throws -> [LostTable] {
        var known: Set<String> = []
        if try CoexistenceTables.exist(connection) {
            known = Set(
                try connection.query("SELECT PLACE FROM COEXIST_INHERITED WHERE RULE = 'table-missing'")
                    .compactMap { $0[0].textValue })
        }
        return model.entities.filter { entity in
            entity.superentityName == nil && layout[entity.name] == nil && catalogue.numbers[entity.name] != nil
                && !known.contains(entity.name)
        }.map { root in
            let plan = ColumnPlan(root: root.name, model: model, numbers: catalogue.numbers)
            var entities: [Int64: String] = [:]
            for entity in model.tree(of: root.name) {
                if let number = catalogue.numbers[entity.name] { entities[number] = entity.name }
            }
            return LostTable(table: plan.table, root: root.name, entities: entities)
        }.sorted { $0.table < $1.table }
    }

    /// The tables and columns that were there when the store was opened, and are not in the file any more.
    func lostParts(_ connection: Connection) throws -> [String] {
        let tables = try TableColumns(connection)
        var lost: Set<String> = []
        for entity in layout.entities {
            if let columns = tables[entity.table] {
                for column in entity.columns where !columns.contains(column) {
                    lost.insert("the column \(entity.table).\(column)")
                }
            } else {
                lost.insert("the table \(entity.table)")
            }
        }
        for table in OwnershipUnits.joinTables(layout).keys where tables[table] == nil {
            lost.insert("the table \(table)")
        }
        for table in HistoryTables.missing(tables) { lost.insert("the table \(table)") }
        return lost.sorted()
    }
}
