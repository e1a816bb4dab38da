import SQLite
import StoreFormat

extension SaveRun {
    /// The join tables' changes of one object, each pair from one side only.
    private func forEachJoinChange(
        _ body: (SaveWork, PropertyPlan, RelationshipPlan, RelationshipLayout.JoinTable, ToManyState) throws -> Void
    ) throws {
        for work in order where work.kind != .delete {
            for property in work.entity.properties {
                guard case .toMany(let relationship, let index) = property.kind,
                    case .manyToMany(let join) = relationship.storage,
                    let state = work.backing?.toManys[safe: index], state.isChanged
                else { continue }
                try body(work, property, relationship, join, state)
            }
        }
    }

    func authorizeJoins() throws {
        try forEachJoinChange { work, _, relationship, join, state in
            guard !state.added.isEmpty || !state.removed.isEmpty || state.isReordered else { return }
            let name = "\(relationship.declaringEntity).\(relationship.name)"
            try transaction.authorizeJoin(join, relationship: name, objects: [work.offence("")])
        }
    }

    private struct Pair: Hashable {
        let table: String
        let own: Int64
        let other: Int64
    }

    private func permanent(_ key: Int64) -> Int64 { key < 0 ? keys[key]?.key ?? key : key }

    func writeJoins() throws {
        var done: Set<Pair> = []
        var owners: [(SaveWork, RelationshipPlan, RelationshipLayout.JoinTable, ToManyState)] = []
        try forEachJoinChange { work, _, relationship, join, state in
            for element in state.removed {
                let pair = Self.pair(join, work.key, permanent(element.key))
                guard done.insert(pair).inserted else { continue }
                try transaction.deleteJoin(join, own: work.key, other: permanent(element.key))
            }
            for element in state.added {
                let other = permanent(element.key)
                guard other > 0,
                    works[RowPlace(root: plan.entities[Int(element.entity)].root, key: element.key)]?.kind != .delete,
                    done.insert(Self.pair(join, work.key, other)).inserted
                else { continue }
                try transaction.insertJoin(
                    join, own: work.key, other: other,
                    order: try nextOrder(join, join.orderColumn, join.ownColumn, work.key),
                    inverseOrder: try nextOrder(join, join.inverseOrderColumn, join.otherColumn, other))
            }
            if state.isReordered { owners.append((work, relationship, join, state)) }
        }
        for (work, _, join, state) in owners { try reorder(work.key, join, state) }
    }

    /// A pair's name that is the same from both sides.
    private static func pair(_ join: RelationshipLayout.JoinTable, _ own: Int64, _ other: Int64) -> Pair {
        if join.isReflexive { return Pair(table: join.table, own: min(own, other), other: max(own, other)) }
        return join.ownColumn < join.otherColumn
            ? Pair(table: join.table, own: own, other: other) : Pair(table: join.table, own: other, other: own)
    }

    private func nextOrder(
        _ join: RelationshipLayout.JoinTable, _ column: String?, _ ownColumn: String, _ own: Int64
    ) throws -> Int64? {
        guard let column else { return nil }
        let last = try transaction.connection.scalar(
            "SELECT max(\(column.sqlIdentifier)) FROM \(join.table.sqlIdentifier) WHERE \(ownColumn.sqlIdentifier) = ?",
            [.integer(own)])?.integerValue
        return OrderKeys.assign([last ?? 1024, nil]).last
    }

    private func reorder(_ own: Int64, _ join: RelationshipLayout.JoinTable, _ state: ToManyState) throws {
        guard let column = join.orderColumn, let elements = state.elements else { return }
        let rows = try transaction.connection.query(
            """
            SELECT \(join.otherColumn.sqlIdentifier), \(column.sqlIdentifier) FROM \(join.table.sqlIdentifier)
            WHERE \(join.ownColumn.sqlIdentifier) = ?
            """, [.integer(own)])
        let current = Dictionary(
            rows.compactMap { row in row[0].integerValue.map { ($0, row[1].integerValue) } },
            uniquingKeysWith: { a, _ in a })
        let sequence = elements.map { permanent($0.key) }.filter { current[$0] != nil }
        let isNew = Set(state.added.map { permanent($0.key) })
        let known = sequence.map { isNew.contains($0) ? nil : current[$0] ?? nil }
        for (key, order) in zip(sequence, OrderKeys.assign(known)) where current[key] != order {
            try transaction.setJoinOrder(join, own: own, other: key, order: order)
        }
    }

    /// A deleted object's pairs go with it; any stack may remove those of its own object.
    func deleteJoins(of work: SaveWork, _ transaction: SaveTransaction) throws {
        for relationship in work.entity.layout.relationships {
            if case .manyToMany(let join) = relationship.storage { try transaction.deleteAllJoins(join, own: work.key) }
        }
    }
}
