import SQLite

/// Which stack may write which entity, as the store itself records it.
///
/// Read inside the transaction that writes, so that the check and the write are one.
public struct OwnershipRegister: Sendable, Hashable {
    /// What is owned as one: an inheritance tree, with the trees that it has one-to-one pairs with.
    public struct Unit: Sendable, Hashable {
        /// The root entity with the lowest number.
        public var name: String
        /// The one stack that may write it.
        public var owner: StackName
        /// The owner before the last switch.
        public var previous: StackName?
        /// Counts the changes of owner.
        public var epoch: Int64
        /// Why nobody writes it just now; nil where its owner may.
        public var freeze: Freeze?
        /// Since when this owner has it: seconds since 2001-01-01 UTC.
        public var since: Double
        /// The entities, by name in byte order.
        public var entities: [String]

        /// While frozen, nobody writes.
        public var isFrozen: Bool { freeze != nil }
    }

    /// What a unit is frozen for, as `COEXIST_UNIT.FROZEN` says it; 0 there is not frozen.
    public enum Freeze: Int64, Sendable, Hashable {
        case handover = 1
        /// Until somebody thaws it, or the daemon that froze it ends.
        case byHand = 2

        /// What the column's number means; what no version of ours wrote is a handover's as well.
        init?(column: Int64) {
            guard column != 0 else { return nil }
            self = Freeze(rawValue: column) ?? .handover
        }

        /// How messages go on behind "frozen".
        public var words: String {
            switch self {
            case .handover: "for a handover"
            case .byHand: "by hand"
            }
        }
    }

    /// The units by name.
    public var units: [String: Unit]
    /// The unit of each entity.
    public var unitOfEntity: [String: String]
    /// The unit that owns a join table's rows.
    public var unitOfJoinTable: [String: String]

    /// The register of an adopted store; nil where the store has not been adopted.
    public static func read(_ connection: Connection) throws -> OwnershipRegister? {
        guard try CoexistenceTables.exist(connection) else { return nil }
        var register = OwnershipRegister(units: [:], unitOfEntity: [:], unitOfJoinTable: [:])
        try connection.cached("SELECT NAME, OWNER, PREVIOUS, EPOCH, FROZEN, SINCE FROM COEXIST_UNIT").forEach { row in
            guard let name = row.text(0), let owner = row.text(1).flatMap(StackName.init(rawValue:)) else {
                throw StoreError(
                    .damaged, "COEXIST_UNIT names an owner that is no stack",
                    way: "release the store and adopt it again")
            }
            // Epochs are counted on from this one.
            guard row.isInteger(3), (1..<Int64.max).contains(row.integer(3)) else {
                throw StoreError(
                    .damaged, "COEXIST_UNIT gives \(name) the epoch \(row.text(3) ?? "NULL"), which is none",
                    way: "release the store and adopt it again")
            }
            register.units[name] = Unit(
                name: name, owner: owner, previous: row.text(2).flatMap(StackName.init(rawValue:)),
                epoch: row.integer(3), freeze: Freeze(column: row.integer(4)), since: row.double(5), entities: [])
        }
        try connection.cached("SELECT NAME, UNIT FROM COEXIST_ENTITY ORDER BY NAME").forEach { row in
            guard let entity = row.text(0), let unit = row.text(1) else { return }
            register.unitOfEntity[entity] = unit
            register.units[unit]?.entities.append(entity)
        }
        try connection.cached("SELECT NAME, UNIT FROM COEXIST_JOIN").forEach { row in
            if let table = row.text(0), let unit = row.text(1) { register.unitOfJoinTable[table] = unit }
        }
        return register
    }

    /// The unit of an entity; nil for one that the register lacks.
    public func unit(ofEntity entity: String) -> Unit? { unitOfEntity[entity].flatMap { units[$0] } }
    /// The unit that owns a join table's rows.
    public func unit(ofJoinTable table: String) -> Unit? { unitOfJoinTable[table].flatMap { units[$0] } }

    /// The epoch of every unit: what an instance holds from its opening, or its last replay, on.
    public var epochs: [String: Int64] { units.mapValues(\.epoch) }
}

extension OwnershipRegister {
    /// The epochs that an instance may hold when its caches reflect history up to a position: those of the register,
    /// except of units whose last switch lies ahead of the position, for which it keeps what it held.
    public static func epochs(
        _ connection: Connection, reachedBy position: Int64, holding held: [String: Int64]
    ) throws -> [String: Int64] {
        guard let register = try read(connection) else { return [:] }
        var epochs = register.epochs
        try connection.cached("SELECT UNIT, max(NUMBER) FROM COEXIST_HANDOVER GROUP BY UNIT").forEach { row in
            if let unit = row.text(0), row.integer(1) > position { epochs[unit] = held[unit] }
        }
        return epochs
    }
}
