import SQLite
import StoreModel

/// What the parts of a migration work with: a connection whose main database is the new store and to which the old one
/// is attached, and what is known of both.
final class MigrationContext {
    /// The name that the old store is attached under.
    static let schema = "old"

    let connection: Connection
    let source: Store
    let mapping: InferredMapping
    let plan: SchemaPlan
    /// Where everything is in the new store; its tables are there when this is made.
    let layout: StoreLayout
    /// The new entity number of each old one that stays.
    let numbers: [Int64: Int64]
    /// Entities that stay and have a table in the old store.
    let entities: [Entity]
    var refusals: [MappingRefusal] = []
    var losses: [MigrationLoss] = []

    /// An entity that stays.
    struct Entity {
        let mapping: EntityMapping
        let old: EntityLayout
        let new: EntityLayout
    }

    /// A relationship of the old store, seen from the entity that declares it.
    struct End {
        let entity: EntityLayout
        let relationship: RelationshipLayout
    }

    init(_ connection: Connection, source: Store, mapping: InferredMapping, plan: SchemaPlan) throws {
        self.connection = connection
        self.source = source
        self.mapping = mapping
        self.plan = plan
        let rows = plan.catalogueRows.map {
            Catalogue.Row(number: $0.number, name: $0.name, parent: $0.parent, maximum: 0)
        }
        let layout = StoreLayout(
            model: plan.model, catalogue: Catalogue(rows: rows, model: plan.model), tables: try TableColumns(connection)
        )
        self.layout = layout
        entities = mapping.entities.compactMap { mapping in
            guard let old = mapping.source.flatMap({ source.layout[$0] }), let new = layout[mapping.destination] else {
                return nil
            }
            return Entity(mapping: mapping, old: old, new: new)
        }
        numbers = Dictionary(
            entities.map { ($0.old.number, $0.new.number) }, uniquingKeysWith: { first, _ in first })
    }

    func refuse(
        _ code: MappingRefusal.Code, _ entity: String, _ property: String?, _ reason: String, way: String
    ) {
        let refusal = MappingRefusal(code, entity, property, reason, way: way)
        if !refusals.contains(refusal) { refusals.append(refusal) }
    }

    /// A table of the old store.
    func old(_ table: String) -> String { "\(Self.schema).\(table.sqlIdentifier)" }

    /// Entities that stay and are in the tree of one of the destination.
    func tree(of destination: String) -> [Entity] {
        let names = Set(plan.model.tree(of: destination).map(\.name))
        return entities.filter { names.contains($0.new.name) }
    }

    /// The old relationships that one of the destination has been, for the objects that are there.
    func ends(of relationship: String, in entity: String) -> [End] {
        var seen: Set<String> = []
        return tree(of: entity).compactMap { entity in
            guard let name = entity.mapping.relationships[relationship] ?? nil,
                let declaring = entity.old.relationship(name)?.declaringEntity,
                seen.insert("\(declaring).\(name)").inserted
            else { return nil }
            return end(name, of: declaring)
        }
    }

    /// A relationship of the old store, from the entity that declares it.
    func end(_ name: String, of entity: String) -> End? {
        guard let layout = source.layout[entity], let relationship = layout.relationship(name) else { return nil }
        return End(entity: layout, relationship: relationship)
    }

    /// The SQL that gives an old entity number's new one.
    func renumbered(_ expression: String) -> String {
        let cases = numbers.sorted { $0.key < $1.key }.map { "WHEN \($0.key) THEN \($0.value)" }.joined(separator: " ")
        return cases.isEmpty ? "NULL" : "CASE \(expression) \(cases) END"
    }
}

/// What a relationship of the old store connects, as SQL over rows named `p`.
struct RelationshipPairs {
    /// The table, and which of its rows.
    let from: String
    /// The key of the object that has the relationship.
    let own: String
    /// The key of the object that it leads to.
    let other: String
    /// The place of the other object in the relationship, where that is ordered.
    let order: String?
    /// The place of the own object in the inverse, where that is ordered.
    let inverseOrder: String?

    /// Nil where the store has no place for the relationship.
    init?(_ end: MigrationContext.End, _ context: MigrationContext) {
        switch end.relationship.storage {
        case .toOne(let key):
            let column = "p.\(end.entity.columns[key.column].sqlIdentifier)"
            from =
                "\(context.old(end.entity.table)) p WHERE \(column) IS NOT NULL AND p.Z_ENT IN \(end.entity.treeNumbers.sqlList)"
            own = "p.Z_PK"
            other = column
            order = nil
            inverseOrder = key.orderColumn.map { "p.\(end.entity.columns[$0].sqlIdentifier)" }
        case .toManyByInverse(let key), .toManyWithoutInverse(let key):
            let column = "p.\(key.keyColumn.sqlIdentifier)"
            from = "\(context.old(key.table)) p WHERE \(column) IS NOT NULL AND p.Z_ENT IN \(key.entityNumbers.sqlList)"
            own = column
            other = "p.Z_PK"
            order = key.orderColumn.map { "p.\($0.sqlIdentifier)" }
            inverseOrder = nil
        case .manyToMany(let join):
            from = "\(context.old(join.table)) p WHERE 1"
            own = "p.\(join.ownColumn.sqlIdentifier)"
            other = "p.\(join.otherColumn.sqlIdentifier)"
            order = join.orderColumn.map { "p.\($0.sqlIdentifier)" }
            inverseOrder = join.inverseOrderColumn.map { "p.\($0.sqlIdentifier)" }
        case .absent: return nil
        }
    }

    private init(from: String, own: String, other: String, order: String?, inverseOrder: String?) {
        self.from = from
        self.own = own
        self.other = other
        self.order = order
        self.inverseOrder = inverseOrder
    }

    /// The same, seen from the other side.
    var reversed: RelationshipPairs {
        RelationshipPairs(from: from, own: other, other: own, order: inverseOrder, inverseOrder: order)
    }
}
