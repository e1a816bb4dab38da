import StoreModel

/// Names that differ in a model and are one in SQL, which knows no case and has one space for tables and indexes.
///
/// Only columns of one table get numbers (Format, section 3.1). What else clashes is refused: no file tells what Core Data
/// would make of it.
enum SchemaClashes {
    /// - Throws: `StoreError` `ModelUnreadable`, naming both, before anything is made.
    static func require(_ model: ModelDescription) throws {
        try requireTables(model)
        try requireColumns(model)
        try requirePairs(model)
        let plan = SchemaPlan(model)
        var names = Claims()
        for table in fixedTables { try names.claim(table, "a table of the format's own") }
        for index in HistoryTables.indexes { try names.claim(index.name, "an index of the history tables") }
        for root in plan.roots {
            try names.claim(ColumnPlan.tableName(root.name), "the table of the entity \(root.name)")
        }
        for join in plan.joinTables {
            let place = "the join table of \(join.place)"
            try names.claim(join.table, place)
            try names.claim("\(join.table)_\(join.columns[1])_INDEX", "the index of \(place)")
            var columns = Claims()
            for column in join.columns + join.orderColumns { try columns.claim(column, "a column of \(place)") }
        }
        for index in plan.spatialIndexes {
            // SQLite keeps an R*Tree in three tables more.
            for part in ["", "_node", "_parent", "_rowid"] { try names.claim(index.name + part, index.place) }
        }
        for index in plan.indexPlans { try names.claim(index.name, index.place) }
        var triggers = Claims()
        for statement in plan.spatialIndexes.flatMap(\.statements) + DerivedTriggers(plan).statements {
            let words = statement.split(separator: " ", maxSplits: 3)
            guard words.count > 2, words[1] == "TRIGGER" else { continue }
            try triggers.claim(String(words[2]), "a trigger of a derived attribute or a location index")
        }
    }

    /// That each tree of entities has a table of its own: asked of every store that is opened, since rows would else be read
    /// and written that are none of an entity's.
    static func requireTables(_ model: ModelDescription) throws {
        var names = Claims()
        for table in fixedTables { try names.claim(table, "a table of the format's own") }
        for entity in model.entities where entity.superentityName == nil {
            try names.claim(ColumnPlan.tableName(entity.name), "the table of the entity \(entity.name)")
        }
    }

    private static let fixedTables = [
        "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
    ]

    /// The columns that every table has belong to no property.
    private static func requireColumns(_ model: ModelDescription) throws {
        for entity in model.entities {
            let attributes = entity.attributes.filter { !$0.isTransient }.flatMap { attribute in
                ColumnPlan.leaves(of: attribute).map { leaf in
                    (attribute.isComposite ? "\(attribute.name).\(leaf.name)" : attribute.name, leaf.name)
                }
            }
            let toOnes = entity.relationships.filter { !$0.isTransient && !$0.isToMany }.map { ($0.name, $0.name) }
            for (property, name) in attributes + toOnes {
                let column = "Z" + name.uppercased()
                guard ColumnPlan.fixed.contains(column) else { continue }
                throw StoreError(
                    .modelUnreadable,
                    "\(entity.name).\(property) would have the column \(column), which is the format's own",
                    way: "give it another name")
            }
        }
    }

    /// A many-to-many of an entity with itself has a column of each end's name in one table.
    private static func requirePairs(_ model: ModelDescription) throws {
        for entity in model.entities {
            for relationship in entity.relationships where relationship.isToMany && !relationship.isTransient {
                guard relationship.destinationEntityName == entity.name, let inverse = relationship.inverseName,
                    inverse != relationship.name, inverse.uppercased() == relationship.name.uppercased()
                else { continue }
                throw StoreError(
                    .modelUnreadable,
                    "\(entity.name).\(relationship.name) and its inverse \(inverse) would have one column in the store, where "
                        + "capitals and small letters are the same",
                    way: "rename one of them")
            }
        }
    }

    /// Who has which name.
    private struct Claims {
        private var places: [String: String] = [:]

        mutating func claim(_ name: String, _ place: String) throws {
            // SQLite folds the case of ASCII letters only.
            let key = String(
                decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
            guard let other = places.updateValue(place, forKey: key) else { return }
            let what = other == place ? "\(place) is there twice, as" : "\(other) and \(place) would both be"
            throw StoreError(
                .modelUnreadable, "\(what) \(name) in the store, where capitals and small letters are the same",
                way: "rename one of them, or remove it")
        }
    }
}
