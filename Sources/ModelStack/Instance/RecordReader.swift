import SQLite
import StoreFormat
import StoreModel

/// Turns rows into records, reading what their relationships hold through one connection, in one snapshot.
final class RecordReader {
    private let connection: Connection
    private let plan: StorePlan
    /// Set for reading many: whole tables' keys at once instead of one row at a time.
    private let isBulk: Bool
    private var maps: [String: KeyMap] = [:]
    private var cursors: [String: ToManyCursor] = [:]

    init(_ connection: Connection, _ plan: StorePlan, isBulk: Bool) {
        self.connection = connection
        self.plan = plan
        self.isBulk = isBulk
    }

    func record(_ row: StoredRow) throws -> ObjectRecord {
        let entity = row.plan
        var values: [String: AttributeValue?] = [:]
        var relationships: [String: RelationshipValue] = [:]
        values.reserveCapacity(entity.layout.attributes.count)
        for property in entity.properties {
            switch property.kind {
            case .attribute(let attribute):
                values[property.name] = .some(Self.value(attribute, property.slot, row, plan.store.externalData))
            case .toOne(let relationship, _):
                relationships[property.name] = .toOne(try destination(row[property.slot], relationship))
            case .toMany(let relationship, _):
                relationships[property.name] = .toMany(try elements(relationship, of: row))
            }
        }
        return ObjectRecord(
            reference: ObjectReference(entity: entity.name, key: row.key), version: row.version, values: values,
            relationships: relationships)
    }

    /// The value of an attribute: nil for a composite without any element's value.
    static func value(
        _ attribute: AttributePlan, _ slot: Int, _ row: StoredRow, _ external: ExternalData
    ) -> AttributeValue? {
        if let leaf = attribute.leaf { return ValueCoding.decode(row[slot], as: leaf, external: external) }
        var elements: [String: AttributeValue] = [:]
        for (i, leaf) in attribute.leaves.enumerated() {
            if let value = ValueCoding.decode(row[slot + i], as: leaf, external: external) {
                elements[leaf.name] = value
            }
        }
        return elements.isEmpty ? nil : .composite(elements)
    }

    private func destination(_ key: SQLValue, _ relationship: RelationshipPlan) throws -> ObjectReference? {
        guard let key = key.integerValue, let root = plan[relationship.description.destinationEntityName] else {
            return nil
        }
        return try reference(root.layout.table, key)
    }

    private func reference(_ table: String, _ key: Int64) throws -> ObjectReference? {
        let number: Int64?
        if isBulk {
            let map = try maps[table] ?? KeyMap(connection, table: table)
            maps[table] = map
            number = map[key]
        } else {
            number = try connection.scalar(
                "SELECT Z_ENT FROM \(table.sqlIdentifier) WHERE Z_PK = ?", [.integer(key)])?.integerValue
        }
        return number.flatMap { plan[number: $0] }.map { ObjectReference(entity: $0.name, key: key) }
    }

    // MARK: To-many

    private func elements(_ relationship: RelationshipPlan, of row: StoredRow) throws -> [ObjectReference] {
        guard let query = relationship.toManyQuery(plan) else { return [] }
        if isBulk {
            let name = "\(row.plan.name).\(relationship.name)"
            let cursor: ToManyCursor
            if let known = cursors[name] {
                cursor = known
            } else {
                cursor = try ToManyCursor(connection.prepare(query.allSQL))
                cursors[name] = cursor
            }
            return try cursor.elements(of: row.key).compactMap { plan[number: $0.entity].map(Self.named($0.key)) }
        }
        var result: [ObjectReference] = []
        try connection.cached(query.oneSQL).forEach([.integer(row.key)]) { statement in
            guard let entity = plan[number: statement.integer(1)] else { return }
            result.append(ObjectReference(entity: entity.name, key: statement.integer(0)))
        }
        return result
    }

    private static func named(_ key: Int64) -> (EntityPlan) -> ObjectReference {
        { ObjectReference(entity: $0.name, key: key) }
    }
}

/// The SQL that reads a to-many: in its order, then by key.
struct ToManyQuery {
    /// Columns: key and entity number of the element. The parameter is the owner's key.
    let oneSQL: String
    /// Columns: key and entity number of the element, key of the owner; by owner.
    let allSQL: String

    init?(_ relationship: RelationshipPlan, _ plan: StorePlan) {
        guard let destination = plan[relationship.description.destinationEntityName] else { return nil }
        let table = destination.layout.table.sqlIdentifier
        let from: String
        let owner: String
        let order: String
        var condition = ""
        switch relationship.storage {
        case .toManyByInverse(let key), .toManyWithoutInverse(let key):
            from = "\(table) d"
            owner = "d.\(key.keyColumn.sqlIdentifier)"
            order = key.orderColumn.map { "d.\($0.sqlIdentifier), " } ?? ""
            condition = " AND d.Z_ENT IN (\(key.entityNumbers.map(String.init).joined(separator: ", ")))"
        case .manyToMany(let join):
            from = "\(join.table.sqlIdentifier) j JOIN \(table) d ON d.Z_PK = j.\(join.otherColumn.sqlIdentifier)"
            owner = "j.\(join.ownColumn.sqlIdentifier)"
            order = join.orderColumn.map { "j.\($0.sqlIdentifier), " } ?? ""
        case .toOne, .absent: return nil
        }
        oneSQL = "SELECT d.Z_PK, d.Z_ENT FROM \(from) WHERE \(owner) = ?\(condition) ORDER BY \(order)d.Z_PK"
        allSQL =
            "SELECT d.Z_PK, d.Z_ENT, \(owner) FROM \(from) WHERE \(owner) IS NOT NULL\(condition) "
            + "ORDER BY \(owner), \(order)d.Z_PK"
    }
}

/// A to-many of all owners, read beside them: both come by the owner's key.
private final class ToManyCursor {
    private let statement: Statement
    private var owner: Int64?

    init(_ statement: Statement) throws {
        self.statement = statement
        try advance()
    }

    private func advance() throws {
        owner = try statement.step() ? statement.integer(2) : nil
    }

    /// The elements of an owner; owners have to be asked for in ascending order.
    func elements(of key: Int64) throws -> [(key: Int64, entity: Int64)] {
        while let owner, owner < key { try advance() }
        var result: [(key: Int64, entity: Int64)] = []
        while owner == key {
            result.append((statement.integer(0), statement.integer(1)))
            try advance()
        }
        return result
    }
}
