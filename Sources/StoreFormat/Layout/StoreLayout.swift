import SQLite
import StoreModel

/// Where every entity's objects are in one store: the model's names joined with the file's tables.
///
/// Columns are found by name and entities by number, never by position: a migrated file keeps old shapes (Format,
/// surprise 10).
public final class StoreLayout: Sendable {
    /// The entities, by name in byte order.
    public let entities: [EntityLayout]
    private let byName: [String: Int]
    private let byNumber: [Int64: Int]

    /// The to-one relationships that lead into a tree, by its root's name, and may still hold the key of a deleted object
    /// though no delete rule found them: those without an inverse, and those of one-to-one pairs, for real files have pairs
    /// of which one side alone holds a key.
    let keysOfDeleted: [String: [KeyHolder]]

    struct KeyHolder: Sendable {
        let entity: EntityLayout
        let relationship: RelationshipLayout
        let key: RelationshipLayout.ForeignKey
    }

    init(entities: [EntityLayout]) {
        self.entities = entities.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        byName = Dictionary(
            self.entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        byNumber = Dictionary(
            self.entities.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first })
        var keys: [String: [KeyHolder]] = [:]
        for entity in self.entities {
            for relationship in entity.relationships where relationship.declaringEntity == entity.name {
                guard case .toOne(let key) = relationship.storage,
                    let index = byName[relationship.description.destinationEntityName]
                else { continue }
                let destination = self.entities[index]
                if let name = relationship.description.inverseName {
                    guard let inverse = destination.relationship(name), !inverse.isToMany,
                        inverse.description.deleteRule != .noAction
                    else { continue }
                }
                keys[destination.rootName, default: []].append(
                    .init(entity: entity, relationship: relationship, key: key))
            }
        }
        keysOfDeleted = keys
    }

    /// The entity's layout, or nil if the store has none of that name.
    public subscript(name: String) -> EntityLayout? { byName[name].map { entities[$0] } }

    /// The layout of the entity with that `Z_ENT`, or nil.
    public subscript(number number: Int64) -> EntityLayout? { byNumber[number].map { entities[$0] } }

    /// The entity's layout.
    /// - Throws: `StoreError` `UnknownEntity`, with the nearest name.
    public func entity(_ name: String) throws -> EntityLayout {
        if let layout = self[name] { return layout }
        let nearest = NearestName.of(name, among: entities.map(\.name))
        throw StoreError(
            .unknownEntity, "the store has no entity \(name)",
            way: nearest.map { "did you mean \($0)?" } ?? "`coexistctl inspect` lists the entities")
    }

    /// The tables, each once, with the layout of its root.
    public var roots: [EntityLayout] { entities.filter { $0.name == $0.rootName } }
}

extension StoreLayout {
    convenience init(model: ModelDescription, catalogue: Catalogue, tables: TableColumns) {
        var plans: [String: ResolvedTable] = [:]
        for entity in model.entities {
            let root = model.rootName(of: entity.name)
            if plans[root] == nil {
                let plan = ColumnPlan(root: root, model: model, numbers: catalogue.numbers)
                plans[root] = ResolvedTable(plan, real: tables[plan.table])
            }
        }
        let builder = LayoutBuilder(model: model, catalogue: catalogue, tables: tables, plans: plans)
        self.init(entities: model.entities.compactMap { builder.layout(of: $0) })
    }
}

/// The tables of a file with their columns.
struct TableColumns: Sendable {
    private var columns: [String: [String]] = [:]

    /// - Parameter names: the tables to look at; nil for all.
    init(_ connection: Connection, of names: [String]? = nil) throws {
        let filter = names.map { " AND m.name IN (\($0.map(\.sqlLiteral).joined(separator: ", ")))" } ?? ""
        let sql = """
            SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
            WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.sql NOT LIKE 'CREATE VIRTUAL%'\(filter)
            ORDER BY m.name, c.cid
            """
        try connection.cached(sql).forEach { row in
            if let table = row.text(0), let column = row.text(1) { columns[table, default: []].append(column) }
        }
    }

    subscript(table: String) -> [String]? { columns[table] }
    var names: [String] { columns.keys.sorted() }
}

/// A table's plan with what the file really has.
struct ResolvedTable: Sendable {
    let plan: ColumnPlan
    /// The file's column for each purpose that has one.
    let column: [ColumnPurpose: String]
    /// All columns of the file's table.
    let real: [String]
    let exists: Bool

    init(_ plan: ColumnPlan, real: [String]?) {
        self.plan = plan
        self.real = real ?? []
        exists = real != nil
        let names = Set(self.real)
        var column: [ColumnPurpose: String] = [:]
        for planned in plan.columns where names.contains(planned.name) { column[planned.purpose] = planned.name }
        self.column = column
    }
}
