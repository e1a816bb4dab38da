import SQLite
import StoreModel

/// History against the model and the rows that are there (Format, sections 8.3 and 8.4).
enum HistoryRowRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        guard context.store.historyForm.isTracked, !context.store.layout.entities.isEmpty else { return }
        try bitmaps(context)
        try unusedBits(context)
        try lastChanges(context)
        try context.reporting(damagedIn: "ACHANGE") { try lateInserts(context) }
    }

    /// An object begins with its insert: no key is handed out twice.
    private static func lateInserts(_ context: VerifyContext) throws {
        let roots = context.store.layout.entities.map { "(\($0.number), \($0.rootNumber))" }
        let sql = """
            WITH root (entity, root) AS (VALUES \(roots.joined(separator: ", ")))
            SELECT c.ZENTITYPK, max(CASE WHEN c.ZCHANGETYPE = 0 THEN c.ZTRANSACTIONID END) AS inserted,
                min(c.ZTRANSACTIONID) AS first, root.root
            FROM ACHANGE c JOIN root ON root.entity = c.ZENTITY WHERE c.ZENTITYPK IS NOT NULL
            GROUP BY root.root, c.ZENTITYPK HAVING inserted > first ORDER BY root.root, c.ZENTITYPK
            """
        try context.rows(sql) { row in
            let name = context.store.layout[number: row.integer(3)]?.name ?? "\(row.integer(3))"
            try context.report(
                "history-insert", "\(name) \(row.integer(0))",
                "inserted in transaction \(row.integer(1)), though transaction \(row.integer(2)) changed it before")
        }
    }

    /// The bits behind the last slot are not set.
    private static func unusedBits(_ context: VerifyContext) throws {
        let masks = context.store.layout.entities.compactMap { entity -> String? in
            let spare = (8 - entity.bitmap.slotCount % 8) % 8
            return spare == 0 ? nil : "(\(entity.number), \((entity.bitmap.slotCount + 7) / 8), \((1 << spare) - 1))"
        }
        guard !masks.isEmpty else { return }
        let digit = { (place: String) in "(instr('0123456789ABCDEF', substr(hex(c.ZCOLUMNS), \(place), 1)) - 1)" }
        let sql = """
            WITH mask (entity, bytes, bits) AS (VALUES \(masks.joined(separator: ", ")))
            SELECT c.Z_PK, c.ZENTITY FROM ACHANGE c JOIN mask m ON m.entity = c.ZENTITY
            WHERE length(c.ZCOLUMNS) = m.bytes AND ((\(digit("-2")) * 16 + \(digit("-1"))) & m.bits) <> 0 ORDER BY c.Z_PK
            """
        try context.rows(sql) { row in
            guard let entity = context.store.layout[number: row.integer(1)] else { return }
            try context.report(
                "history-bitmap", "ACHANGE \(row.integer(0))",
                "bits beyond the \(entity.bitmap.slotCount) slots of \(entity.name) are set")
        }
    }

    private static func bitmaps(_ context: VerifyContext) throws {
        let widths = context.store.layout.entities.map { "(\($0.number), \(($0.bitmap.slotCount + 7) / 8))" }
        let sql = """
            WITH width (entity, bytes) AS (VALUES \(widths.joined(separator: ", ")))
            SELECT c.Z_PK, c.ZENTITY, length(c.ZCOLUMNS) FROM ACHANGE c JOIN width w ON w.entity = c.ZENTITY
            WHERE length(c.ZCOLUMNS) <> w.bytes ORDER BY c.Z_PK
            """
        try context.rows(sql) { row in
            guard let entity = context.store.layout[number: row.integer(1)] else { return }
            try context.report(
                "history-bitmap", "ACHANGE \(row.integer(0))",
                "\(row.integer(2)) bytes for \(entity.name), which has \(entity.bitmap.slotCount) slots")
        }
    }

    /// What the last change of each object says must be what its row says.
    private static func lastChanges(_ context: VerifyContext) throws {
        do {
            try lastChanges(of: context.entities, context)
        } catch let error as SQLiteError where error.isCorrupt {
            // One scan for all does not get by a damaged table: one for each does.
            for root in context.roots {
                try context.reporting(damagedIn: context.table(root.name) ?? "ACHANGE") {
                    try lastChanges(of: context.model.tree(of: root.name), context)
                }
            }
        }
    }

    private static func lastChanges(of entities: [EntityDescription], _ context: VerifyContext) throws {
        // Of an entity whose table is gone, every object has vanished.
        var names: [Int64: String] = [:]
        let roots = entities.compactMap { entity -> String? in
            guard let number = context.number(entity.name),
                let root = context.number(context.model.rootName(of: entity.name))
            else { return nil }
            names[number] = entity.name
            return "(\(number), \(root))"
        }
        let lookups = context.store.layout.roots.map {
            "WHEN \($0.number) THEN (SELECT Z_ENT FROM \($0.table.sqlIdentifier) WHERE Z_PK = last.pk)"
        }
        let sql = """
            WITH root (entity, root) AS (VALUES \(roots.joined(separator: ", "))),
            last AS (
                SELECT root.root AS root, c.ZENTITYPK AS pk, c.ZENTITY AS entity, c.ZCHANGETYPE AS type,
                    c.ZTRANSACTIONID AS number,
                    row_number() OVER (
                        PARTITION BY root.root, c.ZENTITYPK ORDER BY c.ZTRANSACTIONID DESC, c.Z_PK DESC) AS age
                FROM ACHANGE c JOIN root ON root.entity = c.ZENTITY WHERE c.ZENTITYPK IS NOT NULL),
            present AS (
                SELECT last.*, CASE last.root \(lookups.joined(separator: " ")) END AS kind FROM last WHERE age = 1)
            SELECT pk, entity, type, number, kind FROM present
            WHERE (type = 2) = (kind IS NOT NULL) OR (type <> 2 AND kind <> entity)
            ORDER BY entity, pk
            """
        try context.rows(sql) { row in
            let name = names[row.integer(1)] ?? "\(row.integer(1))"
            let place = "\(name) \(row.integer(0))"
            if row.isNull(4) {
                try context.report(
                    "history-vanished", place, "changed in transaction \(row.integer(3)), gone without a delete")
            } else if row.integer(2) == 2 {
                try context.report("history-deleted", place, "deleted in transaction \(row.integer(3)), but present")
            } else {
                try context.report(
                    "history-kind", place, "history says \(row.integer(1)), row says \(row.integer(4))")
            }
        }
    }
}
