import SQLite
import StoreModel

/// The ownership register of an adopted store.
enum OwnershipRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        guard context.tables["COEXIST_STATE"] != nil else {
            for name in context.tables.names where name.hasPrefix("COEXIST_") {
                try context.report("coexist-tables", name, "there without COEXIST_STATE")
            }
            return
        }
        for name in CoexistenceTables.names where context.tables[name] == nil {
            try context.report("coexist-tables", name, "missing in an adopted store")
        }
        guard CoexistenceTables.names.allSatisfy({ context.tables[$0] != nil }) else { return }
        try state(context)
        try units(context)
        try entities(context)
        try joins(context)
    }

    private static func state(_ context: VerifyContext) throws {
        let rows = try context.connection.query(
            "SELECT FORM, TIMELINE, COMMITS, PURGE_FLOOR, GUARD FROM COEXIST_STATE")
        guard rows.count == 1, let row = rows.first else {
            return try context.report("coexist-state", "COEXIST_STATE", "\(rows.count) rows, expected 1")
        }
        func expect(_ isSound: Bool, _ what: String) throws {
            if !isSound { try context.report("coexist-state", "COEXIST_STATE", what) }
        }
        try expect(row[0].integerValue == CoexistenceTables.form, "FORM is not \(CoexistenceTables.form)")
        try expect(row[1].integerValue ?? 0 >= 1, "TIMELINE is below 1")
        try expect(row[2].integerValue ?? -1 >= 0, "COMMITS is below 0")
        try expect(row[3].integerValue ?? -1 >= 0, "PURGE_FLOOR is below 0")
        try expect(row[4].textValue.flatMap(GuardMode.init(rawValue:)) != nil, "GUARD names no mode")
    }

    private static func units(_ context: VerifyContext) throws {
        let stacks = StackName.allCases.map(\.rawValue.sqlLiteral).joined(separator: ", ")
        let sql = """
            SELECT NAME, CASE
                WHEN OWNER NOT IN (\(stacks)) THEN 'the owner ' || OWNER || ' is no stack'
                WHEN PREVIOUS IS NOT NULL AND PREVIOUS NOT IN (\(stacks)) THEN 'the owner before, ' || PREVIOUS || ', is no stack'
                WHEN typeof(EPOCH) <> 'integer' OR EPOCH NOT BETWEEN 1 AND \(Int64.max - 1) THEN 'epoch ' || EPOCH
                WHEN FROZEN NOT IN (0, 1, 2) THEN 'FROZEN is ' || FROZEN
                WHEN NOT EXISTS (SELECT 1 FROM COEXIST_ENTITY e WHERE e.UNIT = u.NAME) THEN 'no entity is in it'
                ELSE (
                    SELECT 'the last handover was to ' || h.OWNER || ' at epoch ' || h.EPOCH FROM COEXIST_HANDOVER h
                    WHERE h.UNIT = u.NAME AND (h.EPOCH > u.EPOCH OR (h.EPOCH = u.EPOCH AND h.OWNER <> u.OWNER)) LIMIT 1)
                END AS wrong
            FROM COEXIST_UNIT u WHERE wrong IS NOT NULL ORDER BY NAME
            """
        try context.rows(sql) { row in try context.report("coexist-unit", row.text(0) ?? "", row.text(1) ?? "") }
    }

    /// Every entity has an owner, and only entities do.
    private static func entities(_ context: VerifyContext) throws {
        let groups = OwnershipUnits.group(context.store.layout)
        var unit: [String: String] = [:]
        for (name, members) in groups { for member in members { unit[member] = name } }
        var seen: Set<String> = []
        try context.rows("SELECT NAME, NUMBER, UNIT FROM COEXIST_ENTITY ORDER BY NAME") { row in
            guard let name = row.text(0) else { return }
            seen.insert(name)
            guard let expected = unit[name] else {
                return try context.report("coexist-entity", name, "in the register, but not in the model")
            }
            if context.number(name) != row.integer(1) {
                try context.report(
                    "coexist-entity", name, "number \(row.integer(1)), expected \(context.number(name) ?? 0)")
            }
            if row.text(2) != expected {
                try context.report("coexist-entity", name, "in the unit \(row.text(2) ?? ""), expected \(expected)")
            }
        }
        for entity in context.store.layout.entities where !seen.contains(entity.name) {
            try context.report("coexist-entity", entity.name, "has no owner in the register")
        }
        let sql = "SELECT NAME FROM COEXIST_ENTITY WHERE UNIT NOT IN (SELECT NAME FROM COEXIST_UNIT) ORDER BY NAME"
        try context.rows(sql) { row in
            try context.report("coexist-entity", row.text(0) ?? "", "its unit is not in the register")
        }
    }

    /// Every join table has an owner. Which of the two ends is the configuration's to say.
    private static func joins(_ context: VerifyContext) throws {
        let tables = Set(OwnershipUnits.joinTables(context.store.layout).keys)
        var seen: Set<String> = []
        let sql = "SELECT NAME, UNIT IN (SELECT NAME FROM COEXIST_UNIT) FROM COEXIST_JOIN ORDER BY NAME"
        try context.rows(sql) { row in
            guard let name = row.text(0) else { return }
            seen.insert(name)
            if !tables.contains(name) { try context.report("coexist-join", name, "in the register, but no join table") }
            if row.integer(1) == 0 { try context.report("coexist-join", name, "its unit is not in the register") }
        }
        for name in tables.subtracting(seen).sorted() {
            try context.report("coexist-join", name, "has no owner in the register")
        }
    }
}
