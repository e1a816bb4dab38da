import SQLite
import StoreModel

/// Carries history over: the same transactions under the same numbers, so that tokens stay valid; changes name the
/// entities and properties that theirs have become.
struct HistoryCopier {
    let context: MigrationContext
    private var connection: Connection { context.connection }

    /// What begins the author of a migration's own transaction (Format, section 8.2).
    static let author = "\(TransactionOrigin.migrator) lightweight migration from model with digest"

    func run() throws {
        guard context.source.historyForm.isTracked else { return }
        try createTables()
        for table in ["ATRANSACTION", "ATRANSACTIONSTRING"] { try copyTable(table) }
        try copyChanges()
        try connection.execute(
            """
            INSERT INTO main.Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX)
            SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM \(context.old("Z_PRIMARYKEY"))
            WHERE Z_ENT >= \(Catalogue.firstHistoryNumber)
            """)
        try addMarker()
    }

    private var tombstones: Int { StoreCreator.tombstones(context.plan.model) }

    /// The form of the newest framework, or the one that is found.
    private func createTables() throws {
        guard case .inline = context.source.historyForm else {
            return try HistoryTables.create(connection, tombstones: tombstones)
        }
        let sql = """
            SELECT sql FROM \(MigrationContext.schema).sqlite_master
            WHERE tbl_name IN ('ACHANGE', 'ATRANSACTION') AND sql IS NOT NULL ORDER BY type = 'index'
            """
        for row in try connection.query(sql) {
            if let text = row[0].textValue { try connection.execute(text) }
        }
    }

    private func columns(_ table: String, _ schema: String) throws -> [String] {
        try connection.query("SELECT name FROM pragma_table_info(?, ?) ORDER BY cid", [.text(table), .text(schema)])
            .compactMap { $0[0].textValue }
    }

    private func copyTable(_ table: String) throws {
        let old = try columns(table, MigrationContext.schema)
        let both = try columns(table, "main").filter { old.contains($0) }.map(\.sqlIdentifier).joined(separator: ", ")
        guard !both.isEmpty else { return }
        try connection.execute("INSERT INTO main.\(table) (\(both)) SELECT \(both) FROM \(context.old(table))")
    }

    private func copyChanges() throws {
        let translations = Dictionary(
            context.entities.map { ($0.old.number, BitmapTranslation($0)) }, uniquingKeysWith: { first, _ in first })
        try connection.createFunction("COEXIST_BITMAP", argumentCount: 2) { arguments in
            guard let number = arguments[0].integerValue, case .blob(let bits) = arguments[1] else {
                return arguments[1]
            }
            return .blob(translations[number]?.translate(bits) ?? bits)
        }
        let old = try columns("ACHANGE", MigrationContext.schema)
        var names = ["Z_PK", "Z_ENT", "Z_OPT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"]
        var values = names.map { "c.\($0)" }
        values[4] = context.renumbered("c.ZENTITY")
        values[7] = "COEXIST_BITMAP(c.ZENTITY, c.ZCOLUMNS)"
        for column in try columns("ACHANGE", "main") where !names.contains(column) {
            guard let value = tombstone(column, old) else { continue }
            names.append(column)
            values.append(value)
        }
        let stay = context.entities.map(\.old.number).sqlList
        try connection.execute(
            """
            INSERT INTO main.ACHANGE (\(names.joined(separator: ", "))) SELECT \(values.joined(separator: ", "))
            FROM \(context.old("ACHANGE")) c WHERE c.ZENTITY IN \(stay)
            """)
    }

    /// What a tombstone column of the new table holds: the value that stood in the place that the attribute had.
    private func tombstone(_ column: String, _ old: [String]) -> String? {
        if case .inline = context.source.historyForm { return old.contains(column) ? "c.\(column)" : nil }
        guard column.hasPrefix("ZTOMBSTONE"), let place = Int(column.dropFirst(10)) else {
            return old.contains(column) ? "c.\(column.sqlIdentifier)" : nil
        }
        let cases = context.entities.compactMap { entity -> String? in
            guard entity.new.tombstoneAttributes.indices.contains(place) else { return nil }
            let attribute = entity.new.tombstoneAttributes[place].name
            guard let source = entity.mapping.attribute(attribute)?.source,
                let before = entity.old.tombstoneAttributes.firstIndex(where: { $0.name == source }),
                old.contains("ZTOMBSTONE\(before)")
            else { return nil }
            return "WHEN \(entity.old.number) THEN c.ZTOMBSTONE\(before)"
        }
        return cases.isEmpty ? nil : "CASE c.ZENTITY \(cases.joined(separator: " ")) END"
    }

    /// The migration's own transaction, without changes (Format, section 8.2).
    private func addMarker() throws {
        let digest =
            try context.source.metadata.digest ?? VersionHashes.hashesDigest(context.source.model.versionHashes())
        // Our own tables come after history, and the old store's say what has been purged.
        let isAdopted = try connection.scalar(
            "SELECT 1 FROM \(MigrationContext.schema).sqlite_master WHERE type = 'table' AND name = 'COEXIST_STATE'")
        let appender = try HistoryAppender(
            connection, form: try HistoryForm(connection), isAdopted: isAdopted != nil)
        _ = try appender.finish(TransactionIdentity(author: "\(Self.author) { \(digest) }"))
    }
}

/// Moves the bits of an entity's changes to the slots that its properties have now (Format, section 8.4).
struct BitmapTranslation: Sendable {
    private let places: [[Int]]
    private let byteCount: Int

    init(_ entity: MigrationContext.Entity) {
        let (old, new) = (entity.old.bitmap, entity.new.bitmap)
        var places = [[Int]](repeating: [], count: old.slotCount)
        for attribute in entity.mapping.attributes {
            guard let before = attribute.source.flatMap({ old.slots[$0] }), let after = new.slots[attribute.name] else {
                continue
            }
            for (slot, leaf) in zip(after, attribute.leaves) {
                guard let source = leaf.source, before.indices.contains(source) else { continue }
                places[before[source]].append(slot)
            }
        }
        for (name, source) in entity.mapping.relationships {
            guard let before = source.flatMap({ old.slots[$0]?.first }), let after = new.slots[name]?.first else {
                continue
            }
            places[before].append(after)
        }
        self.places = places
        byteCount = (new.slotCount + 7) / 8
    }

    func translate(_ bytes: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: byteCount)
        for (slot, targets) in places.enumerated() where slot >> 3 < bytes.count {
            guard bytes[slot >> 3] & (0x80 >> UInt8(slot & 7)) != 0 else { continue }
            for target in targets { result[target >> 3] |= 0x80 >> UInt8(target & 7) }
        }
        return result
    }
}
