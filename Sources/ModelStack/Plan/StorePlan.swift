import StoreFormat
import StoreModel

/// The plans of all entities of an opened store.
final class StorePlan: Sendable {
    let store: Store
    let entities: [EntityPlan]
    let rootCount: Int
    let selects: [SelectPlan]
    /// Reads one row of the entity's tree by its key; by the entity's index.
    let rowSQL: [String]
    private let rootIndexes: [Int]
    private let byNumber: [Int64: Int]
    private let byName: [String: Int]
    /// The trees whose rows SQLite's triggers may write after a change of a tree.
    private let dependents: [Int: Set<Int>]

    /// - Parameter orders: the order of the properties of the entities that have classes.
    init(_ store: Store, orders: [String: [String]] = [:]) {
        self.store = store
        var roots: [String: Int] = [:]
        var plans: [EntityPlan] = []
        for layout in store.layout.entities {
            let root = roots[layout.rootName] ?? roots.count
            roots[layout.rootName] = root
            plans.append(EntityPlan(layout, index: plans.count, root: root, order: orders[layout.name] ?? []))
        }
        entities = plans
        rootCount = roots.count
        let tables = Dictionary(plans.map { ($0.root, $0.layout.table) }, uniquingKeysWith: { first, _ in first })
        var dependents: [Int: Set<Int>] = [:]
        for (root, table) in tables {
            let reached = tables.filter { store.triggerWrites.isReached($0.value, from: table) }
            if !reached.isEmpty { dependents[root] = Set(reached.keys) }
        }
        self.dependents = dependents
        let numbers = Dictionary(plans.map { ($0.layout.number, $0.index) }, uniquingKeysWith: { first, _ in first })
        byNumber = numbers
        byName = Dictionary(plans.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
        let selects = plans.map { plan in
            SelectPlan(plan.layout.treeNumbers.compactMap { numbers[$0].map { plans[$0] } })
        }
        self.selects = selects
        let names = Dictionary(plans.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
        let rootIndexes = plans.map { names[$0.layout.rootName] ?? $0.index }
        self.rootIndexes = rootIndexes
        rowSQL = plans.map { plan in
            "SELECT \(selects[rootIndexes[plan.index]].list("t")) FROM \(plan.layout.table.sqlIdentifier) t WHERE t.Z_PK = ?"
        }
    }

    subscript(number number: Int64) -> EntityPlan? { byNumber[number].map { entities[$0] } }
    subscript(name: String) -> EntityPlan? { byName[name].map { entities[$0] } }

    /// The entity's plan.
    /// - Throws: `StoreError` `UnknownEntity`, with the nearest name.
    func entity(_ name: String) throws -> EntityPlan {
        if let plan = self[name] { return plan }
        _ = try store.layout.entity(name)
        throw StoreError(.unknownEntity, "the store has no entity \(name)")
    }

    /// The declared destination of a relationship.
    func destination(_ relationship: RelationshipPlan) throws -> EntityPlan {
        try entity(relationship.description.destinationEntityName)
    }

    /// The trees whose rows triggers may have written after changes of these trees: history does not tell of that.
    func dependents(of roots: some Sequence<Int>) -> Set<Int> {
        dependents.isEmpty ? [] : roots.reduce(into: []) { $0.formUnion(dependents[$1] ?? []) }
    }

    /// The plan of the root of an inheritance tree.
    func rootPlan(_ plan: EntityPlan) -> EntityPlan { entities[rootIndexes[plan.index]] }
}

/// Which columns a query reads for an entity with its subentities, and where each entity's slots are among them.
struct SelectPlan: Sendable {
    /// The columns behind Z_PK, Z_ENT and Z_OPT, each once, quoted.
    let columns: [String]
    /// For each slot the column of the result, -1 where there is none; by entity number.
    let maps: [Int64: Map]
    /// Set where only one entity can come.
    let only: Map?

    final class Map: Sendable {
        let plan: EntityPlan
        let number: Int64
        let slots: ContiguousArray<Int32>

        init(plan: EntityPlan, slots: [Int32]) {
            self.plan = plan
            number = plan.layout.number
            self.slots = ContiguousArray(slots)
        }
    }

    init(_ plans: [EntityPlan]) {
        var place: [String: Int] = [:]
        var names: [String] = []
        var maps: [Int64: Map] = [:]
        for plan in plans {
            let slots = plan.columns.map { column -> Int32 in
                guard column >= 0 else { return -1 }
                let name = plan.layout.columns[column]
                if let known = place[name] { return Int32(known) }
                place[name] = names.count + 3
                names.append(name.sqlIdentifier)
                return Int32(names.count + 2)
            }
            maps[plan.layout.number] = Map(plan: plan, slots: slots)
        }
        columns = names
        self.maps = maps
        only = plans.count == 1 ? maps.values.first : nil
    }

    /// `t0.Z_PK, t0.Z_ENT, t0.Z_OPT, …`.
    func list(_ alias: String) -> String {
        (["Z_PK", "Z_ENT", "Z_OPT"] + columns).map { "\(alias).\($0)" }.joined(separator: ", ")
    }
}
