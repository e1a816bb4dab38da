import StoreModel

/// Groups a store's entities into units of ownership.
public enum OwnershipUnits {
    /// The entities of each unit, by the unit's name: its root entity with the lowest number.
    ///
    /// A tree shares one table and one key space, and in a one-to-one pair both rows hold a key, so one save writes both.
    public static func group(_ layout: StoreLayout) -> [String: [String]] {
        Dictionary(uniqueKeysWithValues: units(layout).map { ($0.name, $0.entities) })
    }

    /// The units of a store, by the number of the entity that names them, with what holds each together.
    public static func units(_ layout: StoreLayout) -> [OwnershipUnit] {
        units(
            layout.entities.map { entity in
                Member(
                    name: entity.name, number: entity.number, root: entity.rootName,
                    toOnes: entity.relationships.filter { !$0.isToMany }.map {
                        Member.ToOne($0.description, isOwn: $0.declaringEntity == entity.name)
                    })
            })
    }

    /// The units that a store of a model has.
    public static func units(_ model: ModelDescription) -> [OwnershipUnit] {
        units(
            model.numberedEntities.enumerated().map { index, entity in
                let own = Set(entity.relationships.map(\.name))
                return Member(
                    name: entity.name, number: Int64(index + 1), root: model.rootName(of: entity.name),
                    toOnes: model.relationships(of: entity.name).filter { !$0.isToMany && !$0.isTransient }.map {
                        Member.ToOne($0, isOwn: own.contains($0.name))
                    })
            })
    }

    /// What grouping asks of an entity.
    private struct Member {
        struct ToOne {
            let name: String
            let destination: String
            let inverse: String?
            /// Whether the entity declares it, and has not inherited it.
            let isOwn: Bool

            init(_ relationship: RelationshipDescription, isOwn: Bool) {
                (name, destination) = (relationship.name, relationship.destinationEntityName)
                inverse = relationship.inverseName
                self.isOwn = isOwn
            }
        }

        let name: String
        let number: Int64
        let root: String
        let toOnes: [ToOne]
    }

    private static func units(_ members: [Member]) -> [OwnershipUnit] {
        let members = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let byName = Dictionary(members.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var parent: [String: String] = [:]
        for member in members { parent[member.root] = member.root }
        func find(_ name: String) -> String {
            var name = name
            while let up = parent[name], up != name { name = up }
            return name
        }
        func number(_ name: String) -> Int64 { byName[name]?.number ?? .max }
        var pairs: [OwnershipUnit.Pair] = []
        for member in members {
            for toOne in member.toOnes {
                guard let inverse = toOne.inverse, let destination = byName[toOne.destination],
                    destination.toOnes.contains(where: { $0.name == inverse })
                else { continue }
                // Within a tree the table holds them together already.
                if toOne.isOwn, member.root != destination.root {
                    let pair = OwnershipUnit.Pair(
                        entity: member.name, property: toOne.name, other: destination.name, inverse: inverse)
                    if !pairs.contains(pair.turned) { pairs.append(pair) }
                }
                let (a, b) = (find(member.root), find(destination.root))
                if a != b { parent[number(a) < number(b) ? b : a] = number(a) < number(b) ? a : b }
            }
        }
        var units: [String: OwnershipUnit] = [:]
        for member in members {
            let name = find(member.root)
            units[name, default: OwnershipUnit(name: name)].add(member.name, root: member.root)
        }
        for pair in pairs { units[find(byName[pair.entity]?.root ?? pair.entity)]?.pairs.append(pair) }
        return units.values.sorted { number($0.name) < number($1.name) }
    }

    /// The root entity of the tree that each join table is named from.
    public static func joinTables(_ layout: StoreLayout) -> [String: String] {
        var owners: [String: String] = [:]
        for entity in layout.entities {
            for relationship in entity.relationships {
                guard case .manyToMany(let join) = relationship.storage else { continue }
                // Z_<n><RELATIONSHIP>: the table bears this entity's number and this relationship's name.
                let declaring = layout[relationship.declaringEntity]?.number ?? entity.number
                if join.table == "Z_\(declaring)\(relationship.name.uppercased())" {
                    owners[join.table] = entity.rootName
                } else if owners[join.table] == nil {
                    owners[join.table] = layout[relationship.description.destinationEntityName]?.rootName
                }
            }
        }
        return owners
    }
}
