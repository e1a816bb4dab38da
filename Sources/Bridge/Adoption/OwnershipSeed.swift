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

    /// The owner of each unit.
    /// - Throws: `StoreError` `UnknownEntity`, or `Refused` where two entities of one unit are given to two stacks.
    func owners(_ units: [String: [String]], layout: StoreLayout) throws -> [String: StackName] {
        var owners = units.mapValues { _ in defaultOwner }
        var named: [String: (entity: String, owner: StackName)] = [:]
        for (entity, owner) in entities.sorted(by: { $0.key < $1.key }) {
            _ = try layout.entity(entity)
            guard let unit = units.first(where: { $0.value.contains(entity) })?.key else { continue }
            if let other = named[unit], other.owner != owner {
                throw StoreError(
                    .refused,
                    "\(entity) and \(other.entity) are one unit of ownership, and the configuration gives them to both stacks",
                    way: "give both to one stack: \((units[unit] ?? []).joined(separator: ", "))")
            }
            named[unit] = (entity, owner)
            owners[unit] = owner
        }
        return owners
    }

    /// The unit that owns each join table's rows.
    /// - Throws: `StoreError` `UnknownKey` for a name that is no many-to-many.
    func joinUnits(
        _ units: [String: [String]], owners: [String: StackName], layout: StoreLayout
    ) throws -> [String: String] {
        func unit(of root: String) -> String? { units.first { $0.value.contains(root) }?.key }
        var result = OwnershipUnits.joinTables(layout).compactMapValues { unit(of: $0) }
        for (path, owner) in relationships {
            let join = try Self.join(path, layout)
            guard let side = join.sides.compactMap({ unit(of: $0) }).first(where: { owners[$0] == owner }) else {
                throw StoreError(
                    .refused, "\(path) is given to the \(owner.rawValue) stack, which owns neither of its entities",
                    way: "give it to the owner of one of its two sides")
            }
            result[join.table] = side
        }
        return result
    }

    /// What a configuration means by `Entity.relationship`.
    /// - Returns: the join table, and the entities on its two sides.
    /// - Throws: `StoreError` `UnknownKey` for a name that is no many-to-many.
    static func join(_ path: String, _ layout: StoreLayout) throws -> (table: String, sides: [String]) {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let relationship = layout[parts[0]]?.relationship(parts[1]),
            case .manyToMany(let join) = relationship.storage
        else {
            throw StoreError(
                .unknownKey, "ownership.relationships names \(path), which is no many-to-many relationship",
                way: "write it as Entity.relationship")
        }
        return (join.table, [parts[0], relationship.description.destinationEntityName])
    }
}
