import SQLite
import StoreModel

/// The indexes that Core Data's own queries count on (Format, section 4).
enum IndexRules: VerifierRules {
    /// An index as it is in the file.
    private struct Found: Hashable {
        var table: String
        var columns: [String]
        /// Columns in descending order or of a collation that is not the bytes', as `COLUMN DESC` or `COLUMN NOCASE`.
        var oddities: [String] = []
        var isUnique: Bool
        var isPartial: Bool
    }

    static func check(_ context: VerifyContext) throws {
        let found = try read(context)
        let plan = SchemaPlan(context.model, numbers: context.store.catalogue.numbers)
        let framework = context.store.metadata.frameworkVersion ?? 0
        var known: Set<String> = []
        for index in plan.indexPlans where isKept(index.kind, framework: framework) {
            guard let real = context.tables[index.table], index.columns.allSatisfy({ real.contains($0.name) }) else {
                continue
            }
            known.insert(index.name)
            try expect(index, found, context)
        }
        try joins(found, context)
        try history(found, context)
        try strangers(found, known, plan, context)
    }

    /// A unique index that no constraint of the model asks for refuses rows that a save takes for sound. Others that are
    /// left over from older models only cost time.
    private static func strangers(
        _ found: [String: Found], _ known: Set<String>, _ plan: SchemaPlan, _ context: VerifyContext
    ) throws {
        let tables = Set(context.plans.values.map(\.plan.table))
            .union(OwnershipUnits.joinTables(context.store.layout).keys)
        let constraints = Set(plan.indexPlans.filter { $0.kind == .unique }.map { [$0.table] + $0.columns.map(\.name) })
        for (name, index) in found.sorted(by: { $0.key < $1.key })
        where index.isUnique && tables.contains(index.table) && !known.contains(name)
            && !constraints.contains([index.table] + index.columns)
        {
            try context.report(
                "index-extra", index.table, "\(name) is \(text(index)), and no constraint of the model", .warning)
        }
    }

    /// Frameworks of that age keep indexes of that kind. An older one may have left out those of its own queries.
    static func isKept(_ kind: IndexPlan.Kind, framework: Int) -> Bool {
        switch kind {
        case .key: true
        // Before, a constraint stood in the table's own text.
        case .unique: framework >= 865
        case .entity, .fetch: framework >= 1030
        }
    }

    private static func expect(
        _ index: IndexPlan, _ found: [String: Found], _ context: VerifyContext
    ) throws {
        let form = Found(
            table: index.table, columns: index.columns.map(\.name),
            oddities: index.columns.filter { $0.suffix.hasSuffix(" DESC") }.map { "\($0.name) DESC" },
            isUnique: index.kind == .unique, isPartial: index.filter != nil)
        guard let real = found[index.name] else {
            // A migration may leave an index under another name; not those that are known by theirs.
            if index.kind == .fetch || index.kind == .entity, found.values.contains(form) { return }
            return try context.report("index-missing", index.table, index.name)
        }
        if real != form {
            try context.report("index-form", real.table, difference(index.name, real, form))
        }
    }

    /// What of an index is otherwise than it should be, each with what it should be.
    private static func difference(_ name: String, _ real: Found, _ form: Found) -> String {
        func list(_ items: [String]) -> String { items.joined(separator: ", ") }
        var parts: [String] = []
        if real.table != form.table { parts.append("is on the table \(real.table) instead of \(form.table)") }
        if real.columns != form.columns {
            parts.append("covers \(list(real.columns)) instead of \(list(form.columns))")
        }
        if real.isUnique != form.isUnique {
            parts.append(real.isUnique ? "is unique, and must not be" : "is not unique, and must be")
        }
        if real.isPartial != form.isPartial {
            parts.append(real.isPartial ? "leaves rows out, and must not" : "covers all rows, and must leave some out")
        }
        let (more, less) = (
            real.oddities.filter { !form.oddities.contains($0) }, form.oddities.filter { !real.oddities.contains($0) }
        )
        if !more.isEmpty { parts.append("sorts by \(list(more)), and must not") }
        if !less.isEmpty { parts.append("does not sort by \(list(less)), and must") }
        if parts.isEmpty { parts.append("sorts its columns in another order") }
        return "the index \(name) \(parts.joined(separator: "; it "))"
    }

    private static func text(_ index: Found) -> String {
        (index.isUnique ? "unique on " : "on ") + "\(index.table) (\(index.columns.joined(separator: ", ")))"
            + (index.oddities.isEmpty ? "" : " with \(index.oddities.joined(separator: ", "))")
            + (index.isPartial ? " of some rows" : "")
    }

    private static func read(_ context: VerifyContext) throws -> [String: Found] {
        var found: [String: Found] = [:]
        let sql = """
            SELECT m.name, m.tbl_name, l."unique", l.partial, c.name, c."desc", c.coll FROM sqlite_master m
            JOIN pragma_index_list(m.tbl_name) l ON l.name = m.name JOIN pragma_index_xinfo(m.name) c
            WHERE m.type = 'index' AND m.sql IS NOT NULL AND c.key = 1 ORDER BY m.name, c.seqno
            """
        try context.rows(sql) { row in
            guard let name = row.text(0), let table = row.text(1) else { return }
            // An indexed row identifier has no name there.
            let column = row.text(4) ?? "Z_PK"
            var index =
                found[name]
                ?? Found(table: table, columns: [], isUnique: row.integer(2) != 0, isPartial: row.integer(3) != 0)
            index.columns.append(column)
            if row.integer(5) != 0 { index.oddities.append("\(column) DESC") }
            if let collation = row.text(6), collation != "BINARY" { index.oddities.append("\(column) \(collation)") }
            found[name] = index
        }
        return found
    }

    /// A join table's primary key finds one side; an index the other way round finds the other.
    private static func joins(_ found: [String: Found], _ context: VerifyContext) throws {
        guard context.store.metadata.frameworkVersion ?? 0 >= 865 else { return }
        for table in OwnershipUnits.joinTables(context.store.layout).keys.sorted() {
            let keys = try context.connection.query(
                "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", [.text(table)]
            ).compactMap { $0[0].textValue }
            guard keys.count == 2 else { continue }
            let isThere = found.values.contains { $0.table == table && $0.columns.starts(with: keys.reversed()) }
            if !isThere { try context.report("index-missing", table, "\(table)_\(keys[1])_INDEX") }
        }
    }

    private static func history(_ found: [String: Found], _ context: VerifyContext) throws {
        guard case .interned = context.store.historyForm else { return }
        for index in HistoryTables.indexes {
            guard let real = found[index.name] else {
                try context.report("index-missing", index.table, index.name)
                continue
            }
            let form = Found(
                table: index.table, columns: index.columns.map(\.name), isUnique: index.kind == .unique,
                isPartial: false)
            if real != form { try context.report("index-form", real.table, difference(index.name, real, form)) }
        }
    }
}
