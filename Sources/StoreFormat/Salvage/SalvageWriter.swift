import Foundation
import SQLite
import StoreModel

/// Writes what a salvage reads to the new store.
final class SalvageWriter {
    private let source: SalvageSource
    private let target: Store
    private let connection: Connection
    private var report = StoreSalvage.Report()
    private var pending = 0
    /// The rows page by page, where a reader does not come to all of them.
    private var strays: SalvageStrays?

    init(_ source: SalvageSource, target path: String) throws {
        self.source = source
        target = try Store.open(path)
        connection = try StoreConnector.connect(path, .writer(.full))
        report.notes = source.notes
        report.isSourceWhole = source.isWhole
    }

    func run(_ progress: (String, Int64) -> Void) throws -> StoreSalvage.Report {
        try connection.begin(.immediate)
        do {
            try objects(progress)
            try pairs(progress)
            try dangling()
            try SalvageGaps(connection, target).find(&report)
            try bookkeeping()
            report.mended = try StoreRepair.mend(target.rereadInTransaction(connection), connection)
            try connection.commit()
        } catch {
            connection.rollback()
            throw error
        }
        _ = try connection.checkpoint(.truncate)
        report.remaining = try StoreVerifier.verify(connection, store: target)
        report.entities.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        report.joins.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return report
    }

    /// Commits now and then, so that the log stays small.
    private func wrote() throws {
        pending += 1
        guard pending % 10_000 == 0 else { return }
        try connection.commit()
        _ = try connection.checkpoint(.truncate)
        try connection.begin(.immediate)
    }

    // MARK: Entities

    private func objects(_ progress: (String, Int64) -> Void) throws {
        var tables: [SalvageTable] = []
        for root in target.layout.roots {
            let table = try SalvageTable(root, source, target, connection)
            guard source.tables[root.table] != nil else {
                report.notes.append("the table \(root.table) is not there")
                table.setLosses(nil)
                report.entities += table.parts.values
                continue
            }
            tables.append(table)
            let columns = ["Z_ENT", "Z_OPT"] + table.columns.map(\.from)
            let result = try scan(root.table, "Z_PK", columns, source.counter(root.name)) { key, values in
                guard try table.take(key, values) else { return }
                if table.read % 1_000 == 0 { progress(root.table, table.read) }
                try wrote()
            }
            progress(root.table, table.read)
            table.values += result.values
            table.isComplete = result.isComplete
        }
        let isSound = try tables.allSatisfy(\.isWhole) && source.arePagesSound()
        if !isSound, let strays = try SalvageStrays(source) {
            self.strays = strays
            try strays.objects(tables, wrote)
        }
        for table in tables {
            report.values += table.values
            report.notes += table.notes(foundStrays: strays != nil)
            if source.doubtful.contains(table.root.table) {
                table.setLosses(nil)
            } else if !table.isWhole || table.strayed > 0 {
                table.setLosses(SalvageEvidence(source).counts(table.root.table, table.root.treeNames))
            }
            report.entities += table.parts.values
        }
    }

    private func scan(
        _ table: String, _ key: String, _ columns: [String], _ highest: Int64?,
        _ body: (Int64, [SQLValue]) throws -> Void
    ) throws -> SalvageScan.Result {
        try SalvageScan(
            connection: source.connection, table: table, key: key, columns: columns, highest: highest
        ).run(body)
    }

    // MARK: Join tables

    private func pairs(_ progress: (String, Int64) -> Void) throws {
        let old = StoreLayout(model: source.model, catalogue: source.catalogue, tables: source.tables)
        var seen: Set<String> = []
        var joins: [SalvageJoin] = []
        for entity in target.layout.entities {
            for relationship in entity.relationships where relationship.declaringEntity == entity.name {
                guard case .manyToMany(let new) = relationship.storage, seen.insert(new.table).inserted else {
                    continue
                }
                guard case .manyToMany(let there)? = old[entity.name]?.relationship(relationship.name)?.storage
                else {
                    report.joins.append(.init(name: new.table, lost: nil))
                    continue
                }
                let destination = try target.layout.entity(relationship.description.destinationEntityName)
                let join = try SalvageJoin(there, new, entity, destination, connection)
                joins.append(join)
                let result = try scan(there.table, "rowid", join.columns, nil) { key, values in
                    if try join.take(key, values) { try wrote() }
                }
                if !result.isComplete { join.isComplete = false }
                progress(new.table, join.part.read)
            }
        }
        if strays == nil, !joins.allSatisfy(\.isComplete) { strays = try SalvageStrays(source) }
        try strays?.pairs(joins, wrote)
        for join in joins {
            report.links += Int64(join.broken.count)
            report.notes += join.notes
            if source.doubtful.contains(join.table) {
                join.part.lost = nil
            } else if !join.isComplete {
                let evidence = SalvageEvidence(source)
                join.part.lost = evidence.lost(of: evidence.counts(join.table, []).table, read: join.part.read)
            }
            report.joins.append(join.part)
        }
    }

    // MARK: What holds the rows together

    /// Clears keys of rows that are lost.
    private func dangling() throws {
        for root in target.layout.roots {
            let plan = ColumnPlan(root: root.name, model: target.model, numbers: target.catalogue.numbers)
            for column in plan.columns where column.purpose.role == .foreignKey || column.purpose.role == .ownerKey {
                let isOwner = column.purpose.role == .ownerKey
                let relationship = target.model[column.purpose.entity]?.relationships
                    .first { $0.name == column.purpose.property }
                let end = isOwner ? column.purpose.entity : relationship?.destinationEntityName ?? ""
                guard let other = target.layout[end]?.table else { continue }
                let along = plan.columns.filter {
                    $0.purpose.entity == column.purpose.entity && $0.purpose.property == column.purpose.property
                }
                let (table, key) = (root.table.sqlIdentifier, column.name.sqlIdentifier)
                try connection.run(
                    """
                    UPDATE \(table) SET \(along.map { "\($0.name.sqlIdentifier) = NULL" }.joined(separator: ", "))
                    WHERE \(key) IS NOT NULL
                        AND NOT EXISTS (SELECT 1 FROM \(other.sqlIdentifier) d WHERE d.Z_PK = \(table).\(key))
                    """)
                report.links += Int64(connection.changes)
            }
        }
    }

    /// The highest key that the damaged store's history has of each root's tree, as far as that can be read.
    private func keysInHistory() -> [String: Int64] {
        guard HistoryKeys.areIn(source.tables["ACHANGE"]) else { return [:] }
        let roots = target.layout.roots.map(\.name)
        let trees = roots.map { root in source.model.tree(of: root).compactMap { source.catalogue.numbers[$0.name] } }
        let keys = (try? HistoryKeys.highest(of: trees, source.connection)) ?? []
        return Dictionary(zip(roots, keys), uniquingKeysWith: { first, _ in first })
            .filter { $0.value <= SalvageSource.highestCounter }
    }

    private func bookkeeping() throws {
        let seen = keysInHistory()
        for root in target.layout.roots {
            let highest =
                try connection.scalar("SELECT max(Z_PK) FROM \(root.table.sqlIdentifier)")?.integerValue ?? 0
            try connection.run(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
                [.integer(max(highest, source.counter(root.name) ?? 0, seen[root.name] ?? 0)), .integer(root.number)])
        }
        // History itself does not come along, but its numbers are not handed out again: tokens of it have expired.
        let history = [Catalogue.changeNumber, Catalogue.transactionNumber, Catalogue.transactionStringNumber]
        for row in source.catalogue.rows where history.contains(row.number) && row.maximum > 0 {
            try connection.run(
                "INSERT OR REPLACE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, ?)",
                [.integer(row.number), .text(row.name), .integer(row.maximum)])
        }
        guard let old = source.metadata else { return }
        var metadata = target.metadata
        metadata.uuid = old.uuid
        let ours = Set(metadata.plist.keys)
        for (key, value) in old.plist.entries where !ours.contains(key) { metadata.plist[key] = value }
        metadata.plist[StoreMetadata.Key.identifiers] =
            old.plist[StoreMetadata.Key.identifiers] ?? metadata.plist[StoreMetadata.Key.identifiers]
        try metadata.write(connection)
    }
}
