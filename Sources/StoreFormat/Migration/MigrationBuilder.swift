import KeyedArchive
import SQLite
import StoreModel

/// Builds the store of the new model in an empty file, from the old one that is attached to its connection. The result is
/// what a new store would be, with the old one's objects, history, identity and ownership in it.
struct MigrationBuilder {
    let context: MigrationContext
    private let conversions: ExternalConversions
    private let hooks: MigrationHooks

    /// Makes the tables. To be run, like the rest, in one transaction.
    init(_ connection: Connection, source: Store, mapping: InferredMapping, hooks: MigrationHooks) throws {
        try SchemaRequirements.require(mapping.destination)
        let plan = SchemaPlan(mapping.destination)
        for sql in plan.tables { try connection.executeOne(sql) }
        context = try MigrationContext(connection, source: source, mapping: mapping, plan: plan)
        conversions = try ExternalConversions(connection, source.externalData)
        self.hooks = hooks
    }

    private var connection: Connection { context.connection }

    /// Fills the store. What may not be done is in the context's refusals afterwards.
    /// - Parameter allowsDataLoss: whether values without a place in the new model may go.
    func run(allowsDataLoss: Bool) throws {
        let checks = MigrationChecks(context)
        try checks.countLosses()
        if !allowsDataLoss { checks.refuseLosses() }
        guard canCopyRows else {
            _ = try RegisterCopier(context: context).run()
            return
        }
        try writeCatalogue()
        var rows = RowCopier(context, conversions)
        try rows.run()
        try JoinCopier(context: context).run()
        refuseMissingFiles()
        try checks.checkRows()
        try DerivedFill(context: context).run()
        try hooks.reached(.rowsCopied)
        try HistoryCopier(context: context).run()
        try hooks.reached(.historyCopied)
        try writeModel()
        // An index over values that are not unique would fail without saying which.
        guard context.refusals.isEmpty, context.mapping.refusals.isEmpty else {
            try ForeignContent(context: context).run()
            _ = try RegisterCopier(context: context).run()
            return
        }
        for sql in context.plan.indexesAndTriggers { try connection.executeOne(sql) }
        for index in context.plan.spatialIndexes { try connection.executeOne(index.filling) }
        try ForeignContent(context: context).run()
        if let mode = try RegisterCopier(context: context).run() { try hooks.installGuard(mode, connection) }
    }

    /// Whether the rows can be looked at in the new tables, also where the models alone rule the migration out: then only
    /// values are in question.
    private var canCopyRows: Bool {
        context.mapping.refusals.allSatisfy { [.typeChanged, .noDefault, .badDefault].contains($0.code) }
    }

    private func refuseMissingFiles() {
        guard !conversions.missing.isEmpty else { return }
        for entity in context.entities {
            for attribute in entity.mapping.attributes
            where attribute.leaves.contains(where: { $0.storage == .fromExternal }) {
                context.refuse(
                    .valueMissing, entity.new.name, attribute.name,
                    "its external files are missing: \(conversions.missing.prefix(5).joined(separator: ", "))",
                    way: "bring the files back, or leave the attribute's storage external")
            }
        }
    }

    /// Entities with their new numbers, and the highest keys that were handed out.
    private func writeCatalogue() throws {
        let counters = Dictionary(
            context.source.catalogue.rows.map { ($0.number, $0.maximum) }, uniquingKeysWith: { first, _ in first })
        let seen = try keysInHistory()
        for row in context.plan.catalogueRows {
            var maximum: Int64 = 0
            if row.parent == 0, let old = context.tree(of: row.name).first?.old {
                let highest = try connection.scalar("SELECT max(Z_PK) FROM \(context.old(old.table))")?.integerValue
                maximum = max(counters[old.rootNumber] ?? 0, highest ?? 0, seen[old.rootName] ?? 0)
            }
            try connection.run(
                "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, ?)",
                [.integer(row.number), .text(row.name), .integer(row.parent), .integer(maximum)])
        }
    }

    /// The highest key that the old store's history has of each root's tree.
    private func keysInHistory() throws -> [String: Int64] {
        guard context.source.historyForm.isTracked else { return [:] }
        let roots = context.source.layout.roots
        let keys = try HistoryKeys.highest(of: roots.map(\.treeNumbers), connection, table: context.old("ACHANGE"))
        return Dictionary(zip(roots.map(\.name), keys), uniquingKeysWith: { first, _ in first })
    }

    /// The same UUID and the application's own keys; hashes, digests and model of now.
    private func writeModel() throws {
        var metadata = context.source.metadata
        for (key, value) in try StoreCreator.modelEntries(context.plan.model) { metadata.plist[key] = value }
        if let newest = context.source.metadata.plist[StoreMetadata.Key.maximumFrameworkVersion]?.integer,
            newest > StoreCreator.frameworkVersion
        {
            metadata.plist[StoreMetadata.Key.maximumFrameworkVersion] = .integer(Int64(newest))
        }
        try metadata.write(connection)
        try connection.run(
            "INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)",
            [.blob([UInt8](try ModelCache.encode(context.plan.model)))])
    }
}
