import StoreFormat

/// Pairs of many-to-manys, and what must not be left behind by a delete.
extension SaveWork {
    func writeJoins(_ transaction: SaveTransaction) throws {
        var tables: [String: [JoinChange]] = [:]
        for change in joins { tables[change.join.table, default: []].append(change) }
        for changes in tables.values.sorted(by: { $0[0].join.table < $1[0].join.table }) {
            try transaction.authorizeJoin(
                changes[0].join, relationship: changes[0].relationship, objects: offences(changes.map(\.object)))
        }
        for reorder in reorders {
            try transaction.authorizeJoin(reorder.join, relationship: reorder.join.table, objects: [])
        }
        for change in joins where !change.isInsertion {
            try transaction.deleteJoin(change.join, own: change.own, other: change.other)
        }
        for change in joins where change.isInsertion {
            try transaction.insertJoin(
                change.join, own: change.own, other: change.other, order: change.order,
                inverseOrder: change.inverseOrder)
        }
        for reorder in reorders {
            try transaction.setJoinOrder(reorder.join, own: reorder.own, other: reorder.other, order: reorder.order)
        }
    }

    /// Others may have made rows lead to a deleted object since its rules were applied.
    func checkDangling(_ transaction: SaveTransaction) throws {
        var owners: Set<RowKey> = []
        for object in deleted {
            for slot in object.info.relationshipSlots {
                guard case .relationship(let relationship) = object.info.properties[slot], relationship.isToMany,
                    relationship.deleteRule != .noAction
                else { continue }
                let key: RelationshipLayout.DestinationKey
                switch relationship.layout.storage {
                case .toManyByInverse(let destination), .toManyWithoutInverse(let destination): key = destination
                default: continue
                }
                let sql = "SELECT 1 FROM \(key.table.sqlIdentifier) WHERE \(key.keyColumn.sqlIdentifier) = ? LIMIT 1"
                if try transaction.connection.scalar(sql, [.integer(object.id.key)]) != nil {
                    owners.insert(object.id.rowKey)
                }
            }
        }
        if !owners.isEmpty { throw DanglingRows(owners: owners) }
    }
}
