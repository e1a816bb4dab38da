import SQLite
import StoreModel

/// What the rules work on: a snapshot of a store, and where their findings go.
final class VerifyContext {
    let connection: Connection
    /// As the snapshot has it.
    private(set) var store: Store
    /// The snapshot's data version, as the connection counts; nil where the file is too damaged to say.
    private var version: Int64?
    let tables: TableColumns
    /// The resolved table of each root entity of the model.
    let plans: [String: ResolvedTable]
    /// Whether external files count that are so young that they may be of a save that is running.
    let judgesYoungFiles: Bool
    private let body: (Violation) throws -> Void
    private let inherited: Statement?
    /// The tables that are known to have pages that cannot be read, each said once.
    private(set) var damaged: Set<String> = []
    /// Whether a table or column that rules ask for was found to be missing.
    private var lacksParts = false

    init(
        _ connection: Connection, _ store: Store, judgesYoungFiles: Bool = false,
        _ body: @escaping (Violation) throws -> Void
    ) throws {
        self.judgesYoungFiles = judgesYoungFiles
        self.connection = connection
        let store = try Self.reread(store, connection)
        self.store = store
        version = try? connection.dataVersion()
        self.body = body
        try connection.createTextCheck(Self.textCheck)
        tables = try TableColumns(connection)
        var plans: [String: ResolvedTable] = [:]
        for entity in store.model.entities where entity.superentityName == nil {
            let plan = ColumnPlan(root: entity.name, model: store.model, numbers: store.catalogue.numbers)
            plans[entity.name] = ResolvedTable(plan, real: tables[plan.table])
        }
        self.plans = plans
        inherited =
            tables["COEXIST_INHERITED"] == nil
            ? nil
            : try connection.prepare("SELECT 1 FROM COEXIST_INHERITED WHERE RULE = ? AND PLACE = ? AND WHAT = ?")
    }

    /// Goes on in another snapshot: its counters are others, unless nobody has committed meanwhile.
    func reread() throws {
        let current = try? connection.dataVersion()
        guard current == nil || current != version else { return }
        store = try Self.reread(store, connection)
        version = current
    }

    private static func reread(_ store: Store, _ connection: Connection) throws -> Store {
        do {
            return try store.rereadInTransaction(connection)
        } catch let error as SQLiteError where error.isCorrupt {
            // What was known of the store when it was opened serves; the rules say what is damaged.
            return store
        }
    }

    /// The SQL function that says whether a text is valid UTF-8.
    static let textCheck = "COEXIST_IS_UTF8"

    func report(
        _ rule: String, _ place: String, _ what: String, _ severity: Violation.Severity = .error
    ) throws {
        if ["column-missing", "table-missing", "history-table"].contains(rule) { lacksParts = true }
        var violation = Violation(rule: rule, place: place, what: what, severity: severity)
        if severity == .error, let inherited {
            inherited.bind([.text(rule), .text(place), .text(what)])
            if try inherited.step() { violation.severity = .inherited }
            inherited.reset()
        }
        try body(violation)
    }

    func report(_ part: MissingPart) throws { try report(part.rule, part.place, part.what) }

    /// Runs the body; a page that cannot be read ends it with a violation instead of an error, so that the rules about
    /// other pages still run. What has been said of a damage is not said again.
    func reporting(damagedIn place: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as SQLiteError where error.isCorrupt {
            guard !damaged.contains(place) else { return }
            // A rule about a sound table can need a damaged one.
            if !damaged.isEmpty, tables[place] == nil || isReadable(place) { return }
            try report(damage: place, "\(error.message): not all of it could be checked")
        } catch let error as SQLiteError where error.isMissingPart && lacksParts {
            // What is missing has been said.
        }
    }

    /// Says of a table, or of the file, that it cannot all be read.
    func report(damage place: String, _ what: String) throws {
        damaged.insert(place)
        try report("damaged", place, what)
    }

    private func isReadable(_ table: String) -> Bool {
        (try? connection.scalar("SELECT count(*) FROM \(table.sqlIdentifier) NOT INDEXED")) != nil
    }

    /// Calls the body for each row. Unlike the connection's own cache, may be nested.
    func rows(_ sql: String, _ body: (Statement) throws -> Void) throws {
        try connection.prepare(sql).forEach([], body)
    }

    // MARK: The model in this file

    var model: ModelDescription { store.model }

    /// The entities in the order of their names' bytes, so that findings come in the same order each time.
    var entities: [EntityDescription] {
        model.entities.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    var roots: [EntityDescription] { entities.filter { $0.superentityName == nil } }

    func number(_ entity: String) -> Int64? { store.catalogue.numbers[entity] }

    /// The numbers of the entity and of everything that inherits from it.
    func treeNumbers(_ entity: String) -> [Int64] { model.tree(of: entity).compactMap { number($0.name) } }

    /// The entity's table, where the file has it.
    func table(_ entity: String) -> String? {
        guard let plan = plans[model.rootName(of: entity)], plan.exists else { return nil }
        return plan.plan.table
    }

    /// The file's column for a property that the entity itself declares.
    func column(_ entity: String, _ property: String, _ role: ColumnPurpose.Role) -> String? {
        let purpose = ColumnPurpose(entity: entity, property: property, role: role)
        return plans[model.rootName(of: holder(of: purpose))]?.column[purpose]
    }

    /// The entity whose objects have a column: its own, or the destination of a to-many without inverse.
    func holder(of purpose: ColumnPurpose) -> String {
        purpose.role == .ownerKey || purpose.role == .ownerOrder
            ? destination(purpose.entity, purpose.property) : purpose.entity
    }

    private func destination(_ entity: String, _ property: String) -> String {
        model[entity]?.relationships.first { $0.name == property }?.destinationEntityName ?? entity
    }

    /// The entity that declares a relationship that the given one has or inherits, and the relationship.
    func declaration(of name: String, in entity: String) -> (entity: String, relationship: RelationshipDescription)? {
        for entity in model.inheritanceChain(of: entity).reversed() {
            if let found = entity.relationships.first(where: { $0.name == name }) { return (entity.name, found) }
        }
        return nil
    }
}

extension Sequence where Element == Int64 {
    /// The numbers as SQL's list for `IN`.
    var sqlList: String { "(" + map(String.init).joined(separator: ", ") + ")" }
}
