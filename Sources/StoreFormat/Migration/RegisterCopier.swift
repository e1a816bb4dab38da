import Foundation
import SQLite
import StoreModel

/// Carries the ownership of an adopted store over: units keep owner and epoch under the names that they have now.
struct RegisterCopier {
    let context: MigrationContext
    private var connection: Connection { context.connection }

    /// The units of the new store, each with those of the old one that it comes from.
    private struct Unit {
        let name: String
        let entities: [String]
        let old: [OwnershipRegister.Unit]
    }

    /// - Returns: the guard's mode; nil where the store was not adopted, or has no triggers of ours.
    func run() throws -> GuardMode? {
        let tables = try connection.query(
            "SELECT name FROM \(MigrationContext.schema).sqlite_master WHERE type = 'table' AND name GLOB 'COEXIST_*'"
        ).compactMap { $0[0].textValue }
        guard tables.contains("COEXIST_STATE") else { return nil }
        try CoexistenceTables.create(connection)
        for table in ["COEXIST_STATE", "COEXIST_CONSUMER", "COEXIST_FOREIGN"] where tables.contains(table) {
            try connection.execute("INSERT INTO main.\(table) SELECT * FROM \(context.old(table))")
        }
        if tables.contains("COEXIST_INHERITED") {
            try SkippedNumbers.copy(connection, from: context.old("COEXIST_INHERITED"))
        }
        let state = try CoexistenceState.read(connection)
        try CoexistenceState.countCommit(connection)
        let units = try units()
        try copyUnits(units)
        try copyJoins(units)
        var renamed: [String: [String]] = [:]
        for unit in units { for old in unit.old { renamed[old.name, default: []].append(unit.name) } }
        let merged = units.filter { $0.old.count > 1 }
        try copyHandovers(renamed, merged)
        try copyWriters(renamed, Dictionary(units.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }))
        let isGuarded = try connection.scalar(
            "SELECT 1 FROM \(MigrationContext.schema).sqlite_master WHERE type = 'trigger' AND name GLOB 'COEXIST_*'")
        return isGuarded == nil ? nil : state.guardMode
    }

    private func units() throws -> [Unit] {
        var known: [String: OwnershipRegister.Unit] = [:]
        try connection.prepare(
            "SELECT NAME, OWNER, PREVIOUS, EPOCH, FROZEN, SINCE FROM \(context.old("COEXIST_UNIT"))"
        ).forEach { row in
            guard let name = row.text(0), let owner = row.text(1).flatMap(StackName.init(rawValue:)) else { return }
            known[name] = .init(
                name: name, owner: owner, previous: row.text(2).flatMap(StackName.init(rawValue:)),
                epoch: row.integer(3),
                freeze: OwnershipRegister.Freeze(column: row.integer(4)), since: row.double(5), entities: [])
        }
        var unitOfEntity: [String: String] = [:]
        try connection.prepare("SELECT NAME, UNIT FROM \(context.old("COEXIST_ENTITY"))").forEach { row in
            if let name = row.text(0) { unitOfEntity[name] = row.text(1) }
        }
        return OwnershipUnits.group(context.layout).sorted { $0.key < $1.key }.map { name, entities in
            let sources = context.entities.filter { entities.contains($0.new.name) }.map(\.old.name)
            let old = Set(sources.compactMap { unitOfEntity[$0] }).sorted().compactMap { known[$0] }
            return Unit(name: name, entities: entities, old: old)
        }
    }

    private func copyUnits(_ units: [Unit]) throws {
        let now = Date().timeIntervalSinceReferenceDate
        for unit in units {
            if Set(unit.old.map(\.owner)).count > 1 {
                context.refuse(
                    .unitsMerged, unit.name, nil,
                    "it becomes one unit of ownership from "
                        + unit.old.map { "\($0.name) (\($0.owner.rawValue))" }.joined(separator: " and "),
                    way: "hand one of them over first, so that one stack owns them all")
            }
            if let frozen = unit.old.first(where: \.isFrozen) {
                context.refuse(
                    .frozen, unit.name, nil, "the unit \(frozen.name) is frozen",
                    way: "end the freeze: `coexistctl thaw \(context.source.path) \(frozen.name)`")
            }
            let newest = unit.old.max { $0.epoch < $1.epoch }
            try connection.run(
                "INSERT INTO COEXIST_UNIT (NAME, OWNER, PREVIOUS, EPOCH, FROZEN, SINCE) VALUES (?, ?, ?, ?, 0, ?)",
                [
                    .text(unit.name), .text((newest?.owner ?? .legacy).rawValue),
                    newest?.previous.map { .text($0.rawValue) } ?? .null, .integer(newest?.epoch ?? 1),
                    .real(newest?.since ?? now),
                ])
            for entity in unit.entities {
                guard let number = context.layout[entity]?.number else { continue }
                try connection.run(
                    "INSERT INTO COEXIST_ENTITY (NUMBER, NAME, UNIT) VALUES (?, ?, ?)",
                    [.integer(number), .text(entity), .text(unit.name)])
            }
        }
    }

    /// A join table keeps the side that owned its rows, where that side is still one of its two.
    private func copyJoins(_ units: [Unit]) throws {
        func unit(of entity: String) -> String? { units.first { $0.entities.contains(entity) }?.name }
        for (table, root) in OwnershipUnits.joinTables(context.layout) {
            guard var owner = unit(of: root) else { continue }
            if let kept = try ownerBefore(table).flatMap({ old in
                units.first { $0.old.contains { $0.name == old } && sides(of: table).contains($0.name) }
            }) {
                owner = kept.name
            }
            try connection.run("INSERT INTO COEXIST_JOIN (NAME, UNIT) VALUES (?, ?)", [.text(table), .text(owner)])
        }

        func sides(of table: String) -> Set<String> {
            Set(
                context.layout.entities.flatMap { entity in
                    entity.relationships.contains { relationship in
                        if case .manyToMany(let join) = relationship.storage { return join.table == table }
                        return false
                    } ? [unit(of: entity.name)].compactMap { $0 } : []
                })
        }
    }

    /// The old unit that owned the rows which a new join table got.
    private func ownerBefore(_ table: String) throws -> String? {
        for entity in context.layout.entities {
            for relationship in entity.relationships {
                guard case .manyToMany(let join) = relationship.storage, join.table == table else { continue }
                for end in context.ends(of: relationship.name, in: entity.name) {
                    guard case .manyToMany(let old) = end.relationship.storage else { continue }
                    let sql = "SELECT UNIT FROM \(context.old("COEXIST_JOIN")) WHERE NAME = ?"
                    if let unit = try connection.scalar(sql, [.text(old.table)])?.textValue { return unit }
                }
            }
        }
        return nil
    }

    /// A unit that became several has been handed over with each of them. One that was several has no record in common: it
    /// begins with this migration, without an owner before, if one of them ever changed hands.
    private func copyHandovers(_ renamed: [String: [String]], _ merged: [Unit]) throws {
        let columns = "PREVIOUS, OWNER, EPOCH, AT, BY_USER, REASON, NUMBER"
        var begun: Set<String> = []
        for unit in merged {
            guard let newest = unit.old.max(by: { $0.epoch < $1.epoch }), newest.epoch > 1 else { continue }
            begun.insert(unit.name)
            let last =
                try HistoryTables.exist(connection) ? connection.scalar("SELECT max(Z_PK) FROM ATRANSACTION") : nil
            let number = last?.integerValue ?? 0
            let what = "the units \(unit.old.map(\.name).joined(separator: " and ")) became one"
            try connection.run(
                "INSERT INTO COEXIST_HANDOVER (UNIT, \(columns)) VALUES (?, NULL, ?, ?, ?, NULL, ?, ?)",
                [
                    .text(unit.name), .text(newest.owner.rawValue), .integer(newest.epoch),
                    .real(Date().timeIntervalSinceReferenceDate), .text(what), .integer(number),
                ])
        }
        for row in try connection.query("SELECT UNIT, \(columns) FROM \(context.old("COEXIST_HANDOVER")) ORDER BY ID") {
            for name in row[0].textValue.flatMap({ renamed[$0] }) ?? [] where !begun.contains(name) {
                try connection.run(
                    "INSERT INTO COEXIST_HANDOVER (UNIT, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    [.text(name)] + row.dropFirst())
            }
        }
    }

    /// The record of who wrote what, its epochs under the units' names of now.
    private func copyWriters(_ renamed: [String: [String]], _ units: [String: Unit]) throws {
        try connection.createFunction("COEXIST_EPOCHS", argumentCount: 1) { arguments in
            var epochs: [String: Int64] = [:]
            for line in (arguments[0].textValue ?? "").split(separator: "\n") {
                let parts = line.split(separator: "=")
                guard parts.count == 2, let epoch = Int64(parts[1]) else { continue }
                for name in renamed[String(parts[0])] ?? [] { epochs[name] = max(epoch, epochs[name] ?? 0) }
            }
            return .text(epochs.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "\n"))
        }
        try connection.execute(
            """
            INSERT INTO main.COEXIST_TRANSACTION (NUMBER, STACK, INSTANCE, EPOCHS, CAUSE)
            SELECT NUMBER, STACK, INSTANCE, COEXIST_EPOCHS(EPOCHS), CAUSE FROM \(context.old("COEXIST_TRANSACTION"))
            """)
    }
}
