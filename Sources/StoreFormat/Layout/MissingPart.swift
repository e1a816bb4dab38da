import SQLite
import StoreModel

/// A table or a column that the model calls for, or that an adopted store's history needs, and a file lacks.
struct MissingPart: Hashable {
    /// The rule of `verify` that tells of it, and what it says.
    let rule: String
    let place: String
    let what: String
    /// What to call it in a sentence.
    let name: String

    private init(_ rule: String, _ place: String, _ what: String, _ name: String) {
        (self.rule, self.place, self.what, self.name) = (rule, place, what, name)
    }

    static func table(_ table: String, of root: String) -> MissingPart {
        MissingPart("table-missing", root, table, "the table \(table)")
    }

    static func pairs(_ entity: String, _ relationship: String) -> MissingPart {
        MissingPart(
            "join-missing", "\(entity).\(relationship)", "no join table", "the join table of \(entity).\(relationship)")
    }

    static func history(_ table: String) -> MissingPart {
        MissingPart("history-table", table, "a table of history is missing", "the table \(table)")
    }

    /// The columns that a table lacks, one for each property.
    static func columns(of table: ResolvedTable) -> [MissingPart] {
        var found: [MissingPart] = []
        // A property can have several columns, such as a key and the entity that it is of.
        var places: Set<String> = []
        for column in table.plan.columns where table.column[column.purpose] == nil {
            let place = "\(table.plan.table) \(column.purpose.entity).\(column.purpose.property)"
            guard places.insert(place).inserted else { continue }
            found.append(
                MissingPart(
                    "column-missing", place, "no column for this property",
                    "the column \(table.plan.table).\(column.name)"))
        }
        for fixed in ["Z_PK", "Z_ENT", "Z_OPT"] where !table.real.contains(fixed) {
            found.append(
                MissingPart(
                    "column-missing", "\(table.plan.table) \(fixed)", "no such column",
                    "the column \(table.plan.table).\(fixed)"))
        }
        return found
    }

    /// The many-to-manys of a model that have no join table in the file.
    static func pairs(_ model: ModelDescription, _ catalogue: Catalogue, _ tables: TableColumns) -> [MissingPart] {
        let lookup = JoinTableLookup(catalogue: catalogue, tables: tables)
        return model.manyToManys.filter { entity, relationship, inverse in
            catalogue.numbers[entity] != nil
                && lookup.table(entity: entity, relationship: relationship, inverse: inverse) == nil
        }.map { entity, relationship, _ in pairs(entity, relationship.name) }
    }
}

extension ModelDescription {
    /// Every many-to-many from each of its sides: the declaring entity, the relationship, and its inverse.
    var manyToManys: [(entity: String, relationship: RelationshipDescription, inverse: RelationshipDescription)] {
        var found: [(entity: String, relationship: RelationshipDescription, inverse: RelationshipDescription)] = []
        for entity in entities.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            for relationship in entity.relationships where relationship.isToMany && !relationship.isTransient {
                guard let inverse = relationship.inverseName else { continue }
                let back = inheritanceChain(of: relationship.destinationEntityName).reversed().lazy
                    .compactMap { $0.relationships.first { $0.name == inverse } }.first
                if let back, back.isToMany { found.append((entity.name, relationship, back)) }
            }
        }
        return found
    }
}

extension Store {
    /// What is gone from the file since the store was adopted: what it lacked then is on record. Empty for a store that is not
    /// adopted.
    /// - Returns: each by what to call it in a sentence.
    func partsLostSinceAdoption(_ connection: Connection) throws -> [String] {
        guard try CoexistenceTables.exist(connection) else { return [] }
        var known: Set<[String]> = []
        var listsAll: [String: Bool] = [:]
        try connection.prepare("SELECT RULE, PLACE FROM COEXIST_INHERITED WHERE RULE GLOB '*-missing'").forEach { row in
            guard let rule = row.text(0), let place = row.text(1) else { return }
            known.insert([rule, place])
            // Where there were very many, not each is on record.
            if place == StoreVerifier.elsewhere { listsAll[rule] = false }
        }
        let tables = try TableColumns(connection)
        var parts: [MissingPart] = []
        for root in model.entities where root.superentityName == nil && catalogue.numbers[root.name] != nil {
            let plan = ColumnPlan(root: root.name, model: model, numbers: catalogue.numbers)
            let table = ResolvedTable(plan, real: tables[plan.table])
            parts += table.exists ? MissingPart.columns(of: table) : [.table(plan.table, of: root.name)]
        }
        parts += MissingPart.pairs(model, catalogue, tables)
        parts += HistoryTables.missing(tables).map { MissingPart.history($0) }
        return parts.filter { !known.contains([$0.rule, $0.place]) && listsAll[$0.rule] ?? true }.map(\.name).sorted()
    }
}
