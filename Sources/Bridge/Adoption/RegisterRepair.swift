import SQLite
import StoreFormat

/// Makes tables of ours, and entries of the register, anew that somebody removed, where what was in them follows from what
/// is left.
public enum RegisterRepair {
    /// Repairs, under the store's lock.
    /// - Returns: what was done, a sentence each; empty if there was nothing to do, or it takes a choice.
    /// - Throws: `StoreError`: `Busy` beside a daemon.
    public static func repair(_ store: Store) throws -> [String] {
        let lock = try StoreLock(storePath: store.path)
        defer { lock.release() }
        return try StoreConnector.translating(store.path) {
            let reader = try StoreConnector.offlineReader(store.path)
            guard let missing = try CoexistenceTables.missing(reader),
                CoexistenceTables.mendable.isSuperset(of: missing)
            else { return [] }
            if missing.isEmpty {
                guard try CoexistenceTables.exist(reader), try StoreHealth.registerProblem(store, reader) != nil else {
                    return []
                }
            }
            let connection = try StoreConnector.connect(store.path, .writer(.full))
            return try connection.transaction(.immediate) { try mend(missing, store, connection) }
        }
    }

    private static func mend(_ missing: [String], _ store: Store, _ connection: Connection) throws -> [String] {
        let state = try CoexistenceState.read(connection)
        var owners: [String: String] = [:]
        try connection.cached("SELECT NAME, OWNER FROM COEXIST_UNIT").forEach { row in
            if let name = row.text(0) { owners[name] = row.text(1) }
        }
        let units = OwnershipUnits.group(store.layout)
        // Units of another model: which entity is whose cannot be told.
        guard Set(owners.keys) == Set(units.keys) else { return [] }
        func names(_ table: String) throws -> Set<String> {
            guard !missing.contains(table) else { return [] }
            return Set(try connection.query("SELECT NAME FROM \(table)").compactMap { $0[0].textValue })
        }
        let known = try names("COEXIST_ENTITY")
        let knownJoins = try names("COEXIST_JOIN")
        let entities = units.mapValues { $0.filter { !known.contains($0) } }.filter { !$0.value.isEmpty }
        let joins = joins(units, store.layout).filter { !knownJoins.contains($0.key) }
        // Which of two owners had the pairs was the configuration's to say.
        guard joins.values.allSatisfy({ Set($0.compactMap { owners[$0] }).count == 1 }) else { return [] }
        try CoexistenceTables.create(missing, connection)
        try fillEntities(entities, store.layout, connection)
        for (table, sides) in joins {
            try connection.run("INSERT INTO COEXIST_JOIN (NAME, UNIT) VALUES (?, ?)", [.text(table), .text(sides[0])])
        }
        let isGuarded =
            try connection.scalar("SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'COEXIST_GUARD_*'")
            != nil
        if isGuarded { try GuardTriggers.install(state.guardMode, on: connection) }
        try CoexistenceState.countCommit(connection)
        let lacking = [
            ("COEXIST_ENTITY", entities.values.joined().sorted()), ("COEXIST_JOIN", joins.keys.sorted()),
        ].filter { !missing.contains($0.0) && !$0.1.isEmpty }
        return missing.map { "\($0) was missing and is made anew: \(contents[$0] ?? "")" }
            + lacking.map { "\($0) lacked \($1.joined(separator: ", ")), entered anew: \(contents[$0] ?? "")" }
    }

    private static let contents = [
        "COEXIST_ENTITY": "the units are as the model has them",
        "COEXIST_JOIN": "pairs go with the unit that names their table",
        "COEXIST_CONSUMER": "durable readers of history have to be added again, and then to read everything once",
        "COEXIST_INHERITED": "what was wrong before adoption counts as an error now",
        "COEXIST_FOREIGN": "notes of other programs' changes are lost",
    ]

    static func fillEntities(_ units: [String: [String]], _ layout: StoreLayout, _ connection: Connection) throws {
        for (unit, entities) in units {
            for entity in entities {
                guard let number = layout[entity]?.number else { continue }
                try connection.run(
                    "INSERT INTO COEXIST_ENTITY (NUMBER, NAME, UNIT) VALUES (?, ?, ?)",
                    [.integer(number), .text(entity), .text(unit)])
            }
        }
    }

    /// The units of each join table's two sides, that which names the table first.
    private static func joins(_ units: [String: [String]], _ layout: StoreLayout) -> [String: [String]] {
        func unit(of entity: String) -> String? { units.first { $0.value.contains(entity) }?.key }
        var joins = OwnershipUnits.joinTables(layout).compactMapValues { unit(of: $0).map { [$0] } }
        for entity in layout.entities {
            for relationship in entity.relationships {
                guard case .manyToMany(let join) = relationship.storage else { continue }
                joins[join.table]? += [entity.name, relationship.description.destinationEntityName].compactMap(
                    unit(of:))
            }
        }
        return joins
    }
}
