import StoreFormat

/// A join table with the objects at its two ends.
struct JoinEnds {
    /// One of the two.
    struct End {
        /// The column of the object's key.
        var column: String
        /// The object's tree, and its table.
        var root: String
        var table: String
        /// The relationship's slot in history's bitmaps, by entity number, of all entities whose objects can stand there; nil
        /// for those that do not have the relationship.
        var slots: [Int64: Int?]
    }

    let table: String
    /// What the first end's objects call the others.
    let name: String
    let first: End
    let second: End

    /// The join tables of a store, by name.
    static func all(_ layout: StoreLayout) -> [JoinEnds] {
        var found: [String: JoinEnds] = [:]
        for entity in layout.entities {
            for relationship in entity.relationships {
                guard case .manyToMany(let join) = relationship.storage, found[join.table] == nil,
                    let destination = layout[relationship.description.destinationEntityName],
                    let first = end(join.table, join.ownColumn, entity.rootName, layout),
                    let second = end(
                        join.table, join.isReflexive ? join.ownColumn : join.otherColumn, destination.rootName, layout)
                else { continue }
                var other = second
                other.column = join.otherColumn
                found[join.table] = JoinEnds(table: join.table, name: relationship.name, first: first, second: other)
            }
        }
        return found.values.sorted { $0.table < $1.table }
    }

    /// The end whose objects have the relationship that finds them by this column. Where a relationship has no inverse, none
    /// has.
    private static func end(_ table: String, _ column: String, _ root: String, _ layout: StoreLayout) -> End? {
        guard let tree = layout[root] else { return nil }
        var slots: [Int64: Int?] = [:]
        for number in tree.treeNumbers {
            guard let entity = layout[number: number] else { continue }
            let relationship = entity.relationships.first { relationship in
                guard case .manyToMany(let join) = relationship.storage else { return false }
                return join.table == table && join.ownColumn == column
            }
            slots[number] = .some(relationship.flatMap { entity.bitmap.slots[$0.name]?.first })
        }
        return End(column: column, root: root, table: tree.table, slots: slots)
    }
}
