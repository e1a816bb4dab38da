import SQLite
import StoreModel

/// The SQL of every table and index that Core Data's newest framework makes for a model (Format, sections 2 to 4).
public struct SchemaPlan: Sendable {
    let model: ModelDescription
    let numbers: [String: Int64]
    let plans: [String: ColumnPlan]

    /// The plan of a model, with the numbers that a new store gives its entities.
    public init(_ model: ModelDescription) {
        let numbers = Dictionary(
            model.numberedEntities.enumerated().map { ($1.name, Int64($0 + 1)) },
            uniquingKeysWith: { first, _ in first })
        self.init(model, numbers: numbers)
    }

    /// The plan of a model, with the numbers that a store has given its entities.
    init(_ model: ModelDescription, numbers: [String: Int64]) {
        self.model = model
        self.numbers = numbers
        var plans: [String: ColumnPlan] = [:]
        for entity in model.entities where entity.superentityName == nil {
            plans[entity.name] = ColumnPlan(root: entity.name, model: model, numbers: numbers)
        }
        self.plans = plans
    }

    var roots: [EntityDescription] { model.numberedEntities.filter { $0.superentityName == nil } }

    /// Every statement, in an order in which they can be run.
    public var statements: [String] { tables + indexesAndTriggers }

    /// The tables, so that rows can be put in before indexes and triggers are there.
    var tables: [String] { bookkeepingTables + entityTables + joinTables.flatMap(\.statements) }

    /// Everything else, which needs the tables.
    var indexesAndTriggers: [String] {
        indexes + spatialIndexes.flatMap(\.statements) + DerivedTriggers(self).statements
    }

    var bookkeepingTables: [String] {
        [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
            "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
        ]
    }

    var entityTables: [String] {
        roots.compactMap { root in
            guard let plan = plans[root.name] else { return nil }
            let columns = plan.columns.map { ", \($0.name) \($0.declaredType)" }.joined()
            return "CREATE TABLE \(plan.table) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER\(columns) )"
        }
    }

    /// The rows of `Z_PRIMARYKEY`.
    var catalogueRows: [(number: Int64, name: String, parent: Int64)] {
        model.numberedEntities.map { entity in
            (numbers[entity.name] ?? 0, entity.name, entity.superentityName.flatMap { numbers[$0] } ?? 0)
        }
    }

    /// The column of a property, in its root's table.
    func column(of property: String, in entity: String) -> (table: String, column: String)? {
        guard let plan = plans[model.rootName(of: entity)] else { return nil }
        let chain = Set(model.inheritanceChain(of: entity).map(\.name))
        let found = plan.columns.first {
            chain.contains($0.purpose.entity) && $0.purpose.property == property
                && ($0.purpose.role == .attribute(leaf: 0) || $0.purpose.role == .foreignKey)
        }
        return found.map { (plan.table, $0.name) }
    }

    // MARK: Join tables

    /// A join table to make (Format, section 3.4).
    struct JoinPlan: Sendable {
        let table: String
        let columns: [String]
        let orderColumns: [String]
        /// The relationship that names the table, for messages.
        let place: String

        var statements: [String] {
            let orders = orderColumns.map { ", \($0) INTEGER" }.joined()
            return [
                "CREATE TABLE \(table) ( \(columns[0]) INTEGER, \(columns[1]) INTEGER\(orders), "
                    + "PRIMARY KEY (\(columns[0]), \(columns[1])) )",
                "CREATE INDEX \(table)_\(columns[1])_INDEX ON \(table) (\(columns[1]), \(columns[0]))",
            ]
        }
    }

    var joinTables: [JoinPlan] {
        var seen: Set<Set<String>> = []
        return model.numberedEntities.flatMap { entity in
            entity.relationships.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }.compactMap {
                relationship in
                join(entity, relationship, &seen)
            }
        }
    }

    private func join(
        _ entity: EntityDescription, _ relationship: RelationshipDescription, _ seen: inout Set<Set<String>>
    ) -> JoinPlan? {
        guard relationship.isToMany, !relationship.isTransient, let inverseName = relationship.inverseName,
            let holder = model.inheritanceChain(of: relationship.destinationEntityName).last(where: { declaring in
                declaring.relationships.contains { $0.name == inverseName }
            }),
            let inverse = holder.relationships.first(where: { $0.name == inverseName }), inverse.isToMany,
            seen.insert(["\(entity.name).\(relationship.name)", "\(holder.name).\(inverseName)"]).inserted,
            let own = numbers[entity.name], let other = numbers[relationship.destinationEntityName]
        else { return nil }
        if own == other, inverseName == relationship.name {
            let column = "Z_\(own)\(relationship.name.uppercased())"
            return JoinPlan(
                table: column, columns: [column, "REFLEXIVE"], orderColumns: [],
                place: "\(entity.name).\(relationship.name)")
        }
        let isFirst = Self.namesTable(
            own: own, other: other, ownHasSubentities: !model.subentities(of: entity.name).isEmpty,
            otherHasSubentities: !model.subentities(of: relationship.destinationEntityName).isEmpty,
            name: relationship.name, inverse: inverseName)
        let (a, b, forward, back) = isFirst ? (own, other, relationship, inverse) : (other, own, inverse, relationship)
        let ownColumn = "\(a)\(back.name.uppercased())" + suffix(of: forward, in: isFirst ? entity : holder)
        let otherColumn = "\(b)\(forward.name.uppercased())" + suffix(of: back, in: isFirst ? holder : entity)
        return JoinPlan(
            table: "Z_\(a)\(forward.name.uppercased())", columns: ["Z_\(ownColumn)", "Z_\(otherColumn)"],
            orderColumns: (back.isOrdered ? ["Z_FOK_\(ownColumn)"] : [])
                + (forward.isOrdered ? ["Z_FOK_\(otherColumn)"] : []),
            place: "\((isFirst ? entity : holder).name).\(forward.name)")
    }

    /// Two relationships of an entity can have inverses of one name: the column of the later one gets a number.
    private func suffix(of relationship: RelationshipDescription, in entity: EntityDescription) -> String {
        let clashing = entity.relationships.filter { other in
            other.isToMany && !other.isTransient
                && other.inverseName?.uppercased() == relationship.inverseName?.uppercased()
                && model.relationships(of: other.destinationEntityName).contains {
                    $0.name == other.inverseName && $0.isToMany
                }
        }.map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let place = clashing.firstIndex(of: relationship.name) ?? 0
        return place == 0 ? "" : "\(place)"
    }

    private static func namesTable(
        own: Int64, other: Int64, ownHasSubentities: Bool, otherHasSubentities: Bool, name: String, inverse: String
    ) -> Bool {
        if own == other { return inverse.utf8.lexicographicallyPrecedes(name.utf8) }
        if ownHasSubentities != otherHasSubentities { return ownHasSubentities }
        return own < other
    }
}
