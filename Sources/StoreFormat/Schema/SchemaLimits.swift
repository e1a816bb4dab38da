import StoreModel

/// How much of a model fits into SQLite's tables and indexes, and into the entities' numbers.
enum SchemaLimits {
    /// The columns that a table or an index can have (`SQLITE_MAX_COLUMN`).
    static let columns = 2_000
    /// The dimensions that an R*Tree can have.
    static let dimensions = 5

    /// - Throws: `StoreError` `ModelUnreadable`, naming what is too much and what the limit is.
    static func require(_ model: ModelDescription) throws {
        func refuse(_ message: String, _ way: String) -> StoreError { StoreError(.modelUnreadable, message, way: way) }
        guard model.entities.count < Catalogue.firstHistoryNumber else {
            throw refuse(
                "the model has \(model.entities.count) entities; a store numbers up to \(Catalogue.firstHistoryNumber - 1)",
                "split the model")
        }
        let plan = SchemaPlan(model)
        for (root, table) in plan.plans.sorted(by: { $0.key < $1.key }) {
            let count = table.columns.count + ColumnPlan.fixed.count
            guard count > columns else { continue }
            let whose = model.tree(of: root).count > 1 ? "\(root), with its subentities," : root
            throw refuse(
                "\(whose) needs \(count) columns in one table; SQLite has at most \(columns)",
                "split the entity, or put attributes into one of binary data")
        }
        let preserved = StoreCreator.tombstones(model)
        guard preserved + HistoryTables.changeColumns <= columns else {
            throw refuse(
                "an entity preserves \(preserved) attributes in history on deletion; SQLite has at most \(columns) columns in a table",
                "preserve fewer")
        }
        for index in plan.indexPlans where index.columns.count > columns {
            throw refuse(
                "\(index.place) has \(index.columns.count) elements; SQLite has at most \(columns) columns in an index",
                "index fewer properties")
        }
        for index in plan.spatialIndexes {
            guard index.columns.count > dimensions || Set(index.columns).count < index.columns.count else { continue }
            throw refuse(
                "\(index.place) is of \(index.columns.count) attributes; a location index is of 1 to \(dimensions), each once",
                "correct the index")
        }
    }
}
