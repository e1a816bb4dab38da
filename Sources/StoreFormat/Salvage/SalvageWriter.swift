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

    init(_ source: SalvageSource, target path: String) throws {
        self.source = source
        target = try Store.open(path)
        connection = try StoreConnector.connect(path, .writer(.full))
        report.notes = source.notes
    }

    func run(_ progress: (String, Int64) -> Void) throws -> StoreSalvage.Report {
        try connection.begin(.immediate)
        do {
            for root in target.layout.roots { try table(root, progress) }
            try joins(progress)
            try dangling()
            try SalvageGaps(connection, target).find(&report)
            try bookkeeping()
            try connection.commit()
        } catch {
            connection.rollback()
            throw error
        }
        _ = try connection.checkpoint(.truncate)
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

    /// The columns of a table: where they are in the damaged file, and where they go.
    private struct Column {
        let from: String
        let to: String
        let role: ColumnPurpose.Role
        let isExternal: Bool
    }

    private func columns(_ root: String) -> [Column] {
        let old = ColumnPlan(root: root, model: source.model, numbers: source.catalogue.numbers)
        let new = ColumnPlan(root: root, model: target.model, numbers: target.catalogue.numbers)
        let there = ResolvedTable(old, real: source.tables[old.table]).column
        return new.columns.compactMap { column in
            guard let from = there[column.purpose] else { return nil }
            var isExternal = false
            if case .attribute(let leaf) = column.purpose.role {
                let attribute = target.model[column.purpose.entity]?.attributes
                    .first { $0.name == column.purpose.property }
                isExternal = attribute.map { ColumnPlan.leaves(of: $0)[leaf].allowsExternalBinaryDataStorage } ?? false
            }
            return Column(from: from, to: column.name, role: column.purpose.role, isExternal: isExternal)
        }
    }

    private func table(_ root: EntityLayout, _ progress: (String, Int64) -> Void) throws {
        var parts: [Int64: StoreSalvage.Part] = [:]
        for (number, name) in zip(root.treeNumbers, root.treeNames) { parts[number] = .init(name: name) }
        defer { report.entities += parts.values }
        guard source.tables[root.table] != nil else {
            report.notes.append("the table \(root.table) is not there")
            for number in parts.keys { parts[number]?.lost = nil }
            return
        }
        let columns = columns(root.name)
        let names = (["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.to)).map(\.sqlIdentifier)
        let insert = try connection.prepare(
            "INSERT OR IGNORE INTO \(root.table.sqlIdentifier) (\(names.joined(separator: ", "))) "
                + "VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))")
        var read: Int64 = 0
        var refused: Int64 = 0
        let result = try scan(root.table, "Z_PK", ["Z_ENT", "Z_OPT"] + columns.map(\.from), source.counter(root.name)) {
            key, values in
            guard key > 0, let number = values[0].integerValue.flatMap({ self.number($0) }), parts[number] != nil else {
                refused += 1
                return
            }
            var row: [SQLValue] = [.integer(key), .integer(number), .integer(max(1, values[1].integerValue ?? 1))]
            for (column, value) in zip(columns, values.dropFirst(2)) { row.append(try self.value(value, column)) }
            insert.bind(row)
            try insert.run()
            guard connection.changes > 0 else {
                refused += 1
                return
            }
            parts[number]?.read += 1
            read += 1
            if read % 1_000 == 0 { progress(root.table, read) }
            try wrote()
        }
        progress(root.table, read)
        report.values += result.values
        if refused > 0 {
            report.notes.append(
                "\(refused) row\(refused == 1 ? "" : "s") of \(root.table) could be read, but \(refused == 1 ? "is" : "are") of "
                    + "no entity of it or break a uniqueness constraint: left out")
        }
        if source.doubtful.contains(root.table) {
            for number in parts.keys { parts[number]?.lost = nil }
        } else if !result.isComplete || refused > 0 {
            try losses(root, &parts, read: read)
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

    /// An entity's number in the new store, by that in the damaged one.
    private func number(_ old: Int64) -> Int64? {
        source.catalogue.numbers.first { $0.value == old }.flatMap { target.catalogue.numbers[$0.key] }
    }

    private func value(_ value: SQLValue, _ column: Column) throws -> SQLValue {
        if column.role == .foreignEntity {
            return value.integerValue.flatMap { number($0) }.map { .integer($0) } ?? .null
        }
        guard column.isExternal, case .blob(let bytes) = value, bytes.first == 2 else { return value }
        // A file that is gone, or a name that is none.
        guard let name = ExternalData.reference(in: bytes),
            try target.externalData.take(name, from: source.external)
        else {
            report.values += 1
            return .null
        }
        return value
    }

    /// How many rows are lost, as far as something else in the file tells how many there were.
    private func losses(_ root: EntityLayout, _ parts: inout [Int64: StoreSalvage.Part], read: Int64) throws {
        let counts = SalvageEvidence(source).counts(root.table, root.treeNames)
        if parts.count == 1, let number = parts.keys.first {
            parts[number]?.lost =
                counts.table.map { max(0, $0 - read) } ?? counts.entities[root.name].map { max(0, $0 - read) }
            return
        }
        for (number, part) in parts {
            parts[number]?.lost = counts.entities[part.name].map { max(0, $0 - part.read) }
        }
    }

    // MARK: Join tables

    private func joins(_ progress: (String, Int64) -> Void) throws {
        let old = StoreLayout(model: source.model, catalogue: source.catalogue, tables: source.tables)
        var seen: Set<String> = []
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
                try join(there, new, entity, relationship.description.destinationEntityName, progress)
            }
        }
    }

    private func join(
        _ old: RelationshipLayout.JoinTable, _ new: RelationshipLayout.JoinTable, _ entity: EntityLayout,
        _ destination: String, _ progress: (String, Int64) -> Void
    ) throws {
        var part = StoreSalvage.Part(name: new.table)
        let pairs =
            [
                (old.ownColumn, new.ownColumn), (old.otherColumn, new.otherColumn),
            ]
            + [(old.orderColumn, new.orderColumn), (old.inverseOrderColumn, new.inverseOrderColumn)].compactMap {
                a, b in
                a.flatMap { a in b.map { (a, $0) } }
            }
        let other = try target.layout.entity(destination)
        let names = pairs.map(\.1.sqlIdentifier).joined(separator: ", ")
        let marks = pairs.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let insert = try connection.prepare(
            """
            INSERT OR IGNORE INTO \(new.table.sqlIdentifier) (\(names)) SELECT \(marks)
            WHERE EXISTS (SELECT 1 FROM \(entity.table.sqlIdentifier) WHERE Z_PK = ?1)
                AND EXISTS (SELECT 1 FROM \(other.table.sqlIdentifier) WHERE Z_PK = ?2)
            """)
        let result = try scan(old.table, "rowid", pairs.map(\.0), nil) { _, values in
            insert.bind(values)
            try insert.run()
            if connection.changes > 0 { part.read += 1 } else { report.links += 1 }
            try wrote()
        }
        progress(new.table, part.read)
        if source.doubtful.contains(old.table) {
            part.lost = nil
        } else if !result.isComplete {
            part.lost = SalvageEvidence(source).counts(old.table, []).table.map { max(0, $0 - part.read) }
        }
        report.joins.append(part)
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

    private func bookkeeping() throws {
        for root in target.layout.roots {
            let highest =
                try connection.scalar("SELECT max(Z_PK) FROM \(root.table.sqlIdentifier)")?.integerValue ?? 0
            try connection.run(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
                [.integer(max(highest, source.counter(root.name) ?? 0)), .integer(root.number)])
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
