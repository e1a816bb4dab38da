import StoreModel

/// Groups a store's entities into units of ownership.
public enum OwnershipUnits {
    /// The entities of each unit, by the unit's name: its root entity with the lowest number.
    ///
    /// A tree shares one table and one key space, and in a one-to-one pair both rows hold a key, so one save writes both.
    public static func group(_ layout: StoreLayout) -> [String: [String]] {
        var parent: [String: String] = [:]
        for root in layout.roots { parent[root.name] = root.name }
        func find(_ name: String) -> String {
            var name = name
            while let up = parent[name], up != name { name = up }
            return name
        }
        func number(_ name: String) -> Int64 { layout[name]?.number ?? .max }
        for entity in layout.entities {
            for relationship in entity.relationships where !relationship.isToMany {
                guard let inverse = relationship.description.inverseName,
                    let destination = layout[relationship.description.destinationEntityName],
                    let back = destination.relationship(inverse), !back.isToMany
                else { continue }
                let (a, b) = (find(entity.rootName), find(destination.rootName))
                if a != b { parent[number(a) < number(b) ? b : a] = number(a) < number(b) ? a : b }
            }
        }
        var groups: [String: [String]] = [:]
        for entity in layout.entities { groups[find(entity.rootName), default: []].append(entity.name) }
        return groups
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
