import SQLite
import StoreModel

/// What lies in the file and is neither what the model calls for nor ours: tables, indexes, views and triggers of an
/// application are carried over as they are, or named.
struct ForeignContent {
    let context: MigrationContext
    private var connection: Connection { context.connection }

    private struct Item {
        let kind: String
        let name: String
        let table: String
        let sql: String

        /// The module of a virtual table, in capitals; nil for another item.
        var module: String? {
            let words = sql.split(whereSeparator: { $0.isWhitespace || $0 == "(" }).map { $0.uppercased() }
            guard kind == "table", words.starts(with: ["CREATE", "VIRTUAL"]) else { return nil }
            return words.firstIndex(of: "USING").flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil } ?? ""
        }
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
        let shadows = items.filter { $0.module != nil }.flatMap { table in
            ["_node", "_rowid", "_parent"].map { table.name + $0 }
        }
        let tables = knownTables
        let spatial = knownSpatialIndexes
        for item in items where item.kind == "table" && !tables.contains(item.name) && !shadows.contains(item.name) {
            if let module = item.module, module != "RTREE" {
                refuse(item, "a virtual table")
            } else if !spatial.contains(item.name) {
                try copyTable(item, items)
            }
        }
        for item in items where item.kind == "index" && tables.contains(item.table) && !isOfTheFormat(item) {
            try make(item)
        }
        for item in items where item.kind == "view" || item.kind == "trigger" && !isKnown(item, spatial) {
            try make(item)
            if item.kind == "trigger" { try check(item) }
            refuseNumbers(item)
        }
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

    /// Photos has location indexes that its model does not hold: these are the application's.
    private var knownSpatialIndexes: Set<String> {
        Set((SchemaPlan(context.source.model).spatialIndexes + context.plan.spatialIndexes).map(\.name))
    }

    /// The names that Core Data gives the indexes of its tables, also those that earlier migrations left.
    private func isOfTheFormat(_ item: Item) -> Bool {
        ["Z", "ACHANGE_", "ATRANSACTION_", "ATRANSACTIONSTRING_"].contains { item.name.hasPrefix($0) }
    }

    private func isKnown(_ item: Item, _ spatial: Set<String>) -> Bool {
        if ["COEXIST_", "Z_DA_"].contains(where: { item.name.hasPrefix($0) }) { return true }
        return spatial.contains { name in ["_INSERT", "_UPDATE", "_DELETE"].contains { name + $0 == item.name } }
    }

    private var isRenumbered: Bool {
        context.numbers.contains { $0.key != $0.value } || !context.mapping.removedEntities.isEmpty
    }

    private func copyTable(_ item: Item, _ items: [Item]) throws {
        // CloudKit's mirror names entities by number, in a way that is not known.
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
            let article = item.kind == "index" ? "an" : "a"
            refuse(item, "\(article) \(item.kind) that cannot be made in the new store (\(error.message))")
        }
    }

    /// SQLite looks at a trigger's columns only when a statement fires it.
    private func check(_ item: Item) throws {
        let columns = try connection.query("SELECT name FROM pragma_table_info(?, 'main')", [.text(item.table)])
            .compactMap { $0[0].textValue?.sqlIdentifier }
        guard !columns.isEmpty else { return }
        let table = "main.\(item.table.sqlIdentifier)"
        try connection.setMainTriggersEnabled(true)
        defer { try? connection.setMainTriggersEnabled(false) }
        do {
            for sql in [
                "INSERT INTO \(table) DEFAULT VALUES", "DELETE FROM \(table)",
                "UPDATE \(table) SET \(columns.map { "\($0) = \($0)" }.joined(separator: ", "))",
            ] { _ = try connection.prepare(sql) }
        } catch let error as SQLiteError where !error.message.contains("no such function") {
            refuse(item, "a trigger that does not fit the new tables (\(error.message))")
        }
    }

    /// What names entities by number would mean others from now on.
    private func refuseNumbers(_ item: Item) {
        guard isRenumbered, item.sql.contains(#/Z_ENT"?\s*(=|<|>|!|IN\b|BETWEEN\b)/#.ignoresCase()) else { return }
        refuse(item, "a \(item.kind) that names entities by numbers, which change,")
    }

    private func refuse(_ item: Item, _ what: String) {
        context.refuse(
            .foreignContent, item.name, nil, "the file has \(what), which is not Core Data's",
            way: "drop it first, and make it again afterwards")
    }
}
