import StoreFormat

/// Who owns what at adoption, as the configuration says it.
public struct OwnershipSeed: Sendable, Hashable {
    /// The owner of what is not named.
    public var defaultOwner: StackName
    /// Owners by entity; naming any entity names its whole unit.
    public var entities: [String: StackName]
    /// Owners of many-to-many join rows by `Entity.relationship`; unnamed ones go with the unit that names the table.
    public var relationships: [String: StackName]

    /// Makes a seed: everything belongs to the legacy stack where nothing else is said.
    public init(
        defaultOwner: StackName = .legacy, entities: [String: StackName] = [:], relationships: [String: StackName] = [:]
    ) {
        self.defaultOwner = defaultOwner
        self.entities = entities
        self.relationships = relationships
    }

    /// Looks whether a start on the store would take the owners: whether it has what is named and, before it is adopted,
    /// whether every unit has one owner.
    /// - Throws: `StoreError` `BadConfiguration`.
    public func check(_ store: Store) throws {
        try checkNames(store.layout)
        let isAdopted = try StoreConnector.translating(store.path) {
            try CoexistenceTables.exist(StoreConnector.offlineReader(store.path))
        }
        guard !isAdopted else { return }
        let units = OwnershipUnits.group(store.layout)
        _ = try joinUnits(units, owners: owners(units, layout: store.layout), layout: store.layout)
    }

    /// Whether the store has what is named.
    /// - Throws: `StoreError` `BadConfiguration`.
    func checkNames(_ layout: StoreLayout) throws {
        for entity in entities.keys.sorted() {
            do { _ = try layout.entity(entity) } catch let error as StoreError {
                throw Self.wrong("entities.\(entity)", error.message, way: error.way)
            }
        }
        for path in relationships.keys.sorted() { _ = try Self.join(path, layout) }
    }

    private static func wrong(_ place: String, _ what: String, way: String) -> StoreError {
        StoreError(.badConfiguration, "ownership.\(place): \(what)", way: way)
    }

    /// The owner of each unit.
    /// - Throws: `StoreError` `BadConfiguration`, also where two entities of one unit are given to two stacks.
    func owners(_ units: [String: [String]], layout: StoreLayout) throws -> [String: StackName] {
        try checkNames(layout)
        var owners = units.mapValues { _ in defaultOwner }
        var named: [String: (entity: String, owner: StackName)] = [:]
        for (entity, owner) in entities.sorted(by: { $0.key < $1.key }) {
            guard let unit = units.first(where: { $0.value.contains(entity) })?.key else { continue }
            if let other = named[unit], other.owner != owner {
                throw Self.wrong(
                    "entities.\(entity)",
                    "\(entity) and \(other.entity) are one unit of ownership, and the configuration gives them to both stacks",
                    way: "give both to one stack: \((units[unit] ?? []).joined(separator: ", "))")
            }
            named[unit] = (entity, owner)
            owners[unit] = owner
        }
        return owners
    }

    /// The unit that owns each join table's rows.
    /// - Throws: `StoreError` `BadConfiguration` for a name that is no many-to-many, and for an owner of neither side.
    func joinUnits(
        _ units: [String: [String]], owners: [String: StackName], layout: StoreLayout
    ) throws -> [String: String] {
        func unit(of root: String) -> String? { units.first { $0.value.contains(root) }?.key }
        var result = OwnershipUnits.joinTables(layout).compactMapValues { unit(of: $0) }
        for (path, owner) in relationships {
            let join = try Self.join(path, layout)
            guard let side = join.sides.compactMap({ unit(of: $0) }).first(where: { owners[$0] == owner }) else {
                throw Self.wrong(
                    "relationships.\(path)",
                    "it is given to the \(owner.rawValue) stack, which owns neither of its entities",
                    way: "give it to the owner of one of its two sides")
            }
            result[join.table] = side
        }
        return result
    }

    /// What a configuration means by `Entity.relationship`.
    /// - Returns: the join table, and the entities on its two sides.
    /// - Throws: `StoreError` `BadConfiguration` for a name that is no many-to-many.
    static func join(_ path: String, _ layout: StoreLayout) throws -> (table: String, sides: [String]) {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let relationship = layout[parts[0]]?.relationship(parts[1]),
            case .manyToMany(let join) = relationship.storage
        else {
            throw wrong(
                "relationships.\(path)", "the store has no such many-to-many relationship",
                way: "write it as Entity.relationship")
        }
        return (join.table, [parts[0], relationship.description.destinationEntityName])
    }
}
