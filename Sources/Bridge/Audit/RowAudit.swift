import SQLite
import StoreFormat

/// Whether history explains the rows: from a backup on, the same objects exist as history says, and a column that differs
/// is marked by some change.
///
/// Three cursors by key go through each table side by side: the backup's rows, today's, and the changes between. Memory:
/// one row of each.
struct RowAudit {
    /// Inside a transaction, as the store is.
    let now: Connection
    let store: Store
    let base: AuditBase

    func run(_ report: inout AuditReport, progress: () -> Void) throws {
        for root in store.layout.roots { try run(root, &report, progress) }
        for table in try store.lostTables(now) { try run(lost: table, &report, progress) }
    }

    /// Of a table that is gone, every object that the backup and history say should be in it is missing.
    private func run(lost table: LostTable, _ report: inout AuditReport, _ progress: () -> Void) throws {
        let numbers = table.entities.keys.sorted().map(String.init).joined(separator: ", ")
        let old = try KeyCursor(
            base.connection.prepare("SELECT Z_PK, Z_ENT FROM \(table.table.sqlIdentifier) ORDER BY Z_PK"))
        let changes = try KeyCursor(
            now.prepare(
                """
                SELECT ZENTITYPK, ZENTITY, ZCHANGETYPE FROM ACHANGE WHERE ZTRANSACTIONID > \(base.last)
                    AND ZENTITY IN (\(numbers)) ORDER BY ZENTITYPK, ZTRANSACTIONID, Z_PK
                """))
        while let key = [old.key, changes.key].compactMap({ $0 }).min() {
            progress()
            report.rows += 1
            var entity = old.key == key ? old.row.integer(1) : nil
            if old.key == key { try old.advance() }
            while changes.key == key {
                entity = changes.row.integer(2) == HistoryChange.Kind.delete.rawValue ? nil : changes.row.integer(1)
                try changes.advance()
            }
            guard let entity else { continue }
            report.add(
                .object, "\(table.entities[entity] ?? table.root)/\(key)",
                "it is gone with its table \(table.table), and history has no delete of it")
        }
    }

    private func run(_ root: EntityLayout, _ report: inout AuditReport, _ progress: () -> Void) throws {
        let entities = root.treeNumbers.compactMap { store.layout[number: $0] }
        let columns = Set(entities.flatMap(\.columns)).sorted()
        let list = (["Z_PK", "Z_ENT", "Z_OPT"] + columns).map(\.sqlIdentifier).joined(separator: ", ")
        let select = "SELECT \(list) FROM \(root.table.sqlIdentifier) ORDER BY Z_PK"
        let watched = Dictionary(
            entities.map { ($0.number, WatchedColumns($0, columns, store.triggerWrites)) },
            uniquingKeysWith: { first, _ in first })
        let old = try KeyCursor(base.connection.prepare(select))
        let new = try KeyCursor(now.prepare(select))
        let changes = try KeyCursor(
            now.prepare(
                """
                SELECT ZENTITYPK, ZENTITY, ZCHANGETYPE, ZCOLUMNS, ZTRANSACTIONID FROM ACHANGE
                WHERE ZTRANSACTIONID > \(base.last) AND ZENTITY IN (\(root.treeNumbers.map(String.init).joined(separator: ", ")))
                ORDER BY ZENTITYPK, ZTRANSACTIONID, Z_PK
                """))
        while let key = [old.key, new.key, changes.key].compactMap({ $0 }).min() {
            progress()
            report.rows += 1
            var story = ObjectStory(key: key, root: root, layout: store.layout)
            if old.key == key { story.begin(entity: old.row.integer(1)) }
            while changes.key == key {
                story.apply(changes.row) { report.add(.object, $0, $1) }
                try changes.advance()
            }
            let entity = new.key == key ? new.row.integer(1) : nil
            story.end(entity: entity) { report.add(.object, $0, $1) }
            if old.key == key, let entity, story.isSameObject, let watched = watched[entity] {
                watched.compare(old.row, new.row, story) { report.add(.column, $0, $1) }
            }
            if old.key == key { try old.advance() }
            if new.key == key { try new.advance() }
        }
    }
}

/// A statement whose rows come by their first column.
private final class KeyCursor {
    let row: Statement
    /// The key of the row that the cursor is at; nil at the end.
    private(set) var key: Int64?

    init(_ statement: Statement) throws {
        row = statement
        try advance()
    }

    func advance() throws {
        key = try row.step() ? row.integer(0) : nil
    }
}
