import SQLite
import StoreModel

/// What lies in the file and is neither Core Data's nor ours: tables, views and triggers of an application are carried
/// over as they are.
struct ForeignContent {
    let context: MigrationContext
    private var connection: Connection { context.connection }

    private struct Item {
        let kind: String
        let name: String
        let table: String
        let sql: String
    }

    func run() throws {
        let items = try connection.query(
            """
            SELECT type, name, tbl_name, sql FROM \(MigrationContext.schema).sqlite_master
            WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid
            """
        ).map {
            Item(
                kind: $0[0].textValue ?? "", name: $0[1].textValue ?? "", table: $0[2].textValue ?? "",
                sql: $0[3].textValue ?? "")
        }
        let virtual = items.filter { $0.kind == "table" && $0.sql.uppercased().hasPrefix("CREATE VIRTUAL") }
        let shadows = Set(virtual.flatMap { table in ["_node", "_rowid", "_parent"].map { table.name + $0 } })
        let known = knownTables.union(shadows)
        for item in items where item.kind == "table" && !known.contains(item.name) {
            if virtual.contains(where: { $0.name == item.name }) {
                if !item.name.hasPrefix("Z_RT_") { refuse(item, "a virtual table") }
            } else {
                try copyTable(item, items)
            }
        }
        for item in items where item.kind == "view" || item.kind == "trigger" && !isOurs(item) { try make(item) }
    }

    /// The tables that the new store has in a form of its own.
    private var knownTables: Set<String> {
        var names: Set<String> = [
            "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
        ]
        names.formUnion(CoexistenceTables.names)
        for entity in context.source.layout.entities {
            names.insert(entity.table)
            for relationship in entity.relationships {
                if case .manyToMany(let join) = relationship.storage { names.insert(join.table) }
            }
        }
        return names
    }

    private func isOurs(_ item: Item) -> Bool {
        ["COEXIST_", "Z_DA_", "Z_RT_"].contains { item.name.hasPrefix($0) }
    }

    private func copyTable(_ item: Item, _ items: [Item]) throws {
        // CloudKit's mirror names entities by number, in a way that is not known.
        let isRenumbered = context.numbers.contains { $0.key != $0.value } || !context.mapping.removedEntities.isEmpty
        if item.name.hasPrefix("ANSCK"), isRenumbered {
            return context.refuse(
                .foreignContent, item.name, nil, "CloudKit's mirror names entities by numbers that would change",
                way: "migrate the store with Apple's frameworks")
        }
        try make(item)
        guard context.refusals.last?.entity != item.name else { return }
        try connection.execute("INSERT INTO main.\(item.name.sqlIdentifier) SELECT * FROM \(context.old(item.name))")
        for index in items where index.kind == "index" && index.table == item.name { try make(index) }
    }

    private func make(_ item: Item) throws {
        do {
            try connection.execute(item.sql)
        } catch let error as SQLiteError where !error.isFull && !error.isInputOutput {
            refuse(item, "a \(item.kind) that cannot be made in the new store (\(error.message))")
        }
    }

    private func refuse(_ item: Item, _ what: String) {
        context.refuse(
            .foreignContent, item.name, nil, "the file has \(what), which is not Core Data's",
            way: "drop it first, and make it again afterwards")
    }
}
