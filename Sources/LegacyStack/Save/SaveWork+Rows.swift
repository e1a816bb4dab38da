import StoreFormat

/// Rows that are written and deleted, and what the merge policy makes of those that somebody else changed meanwhile.
extension SaveWork {
    /// What becomes of a row that somebody else changed: what the owner wrote is never overwritten in its name.
    private func policy(for key: RowKey) -> NSMergePolicy.Kind { forwarded.contains(key) ? .error : policy }

    func delete(_ object: NSManagedObject, _ transaction: SaveTransaction) throws {
        let key = object.id.key
        for slot in object.info.relationshipSlots {
            guard case .relationship(let relationship) = object.info.properties[slot],
                case .manyToMany(let join) = relationship.layout.storage
            else { continue }
            try transaction.deleteAllJoins(join, own: key)
        }
        let layout = object.info.layout
        if try transaction.delete(layout, key: key, expecting: object.row?.version) { return }
        // Gone already is what was asked for.
        let sql = "SELECT Z_OPT FROM \(layout.table.sqlIdentifier) WHERE Z_PK = ? AND Z_ENT = ?"
        guard
            let version = try transaction.connection.scalar(sql, [.integer(key), .integer(layout.number)])?.integerValue
        else { return }
        switch policy(for: object.id.rowKey) {
        case .objectTrump, .overwrite: _ = try transaction.delete(layout, key: key, expecting: nil)
        case .error, .storeTrump, .rollback:
            conflicts.append(.init(object: object.id.shown, reason: conflict(object.row?.version, version)))
        }
    }

    private func conflict(_ held: Int64?, _ found: Int64) -> String {
        "it was read at version \(held ?? 0), and is at \(found)"
    }

    func update(_ change: RowChange, _ transaction: SaveTransaction) throws {
        let layout = change.entity.layout
        if noted.contains(change.rowKey) {
            return try transaction.noteChange(layout, key: change.key, changed: change.names.sorted())
        }
        // Where no column of the row changes, nothing of anybody's can be lost.
        let row = change.object?.row
        let expecting = change.columns.isEmpty ? nil : row?.version
        let written = try transaction.update(
            layout, key: change.key, expecting: expecting, columns: change.sortedColumns, changed: change.names.sorted()
        )
        if written {
            if let row, expecting != nil, !change.entity.isWrittenByTriggers {
                var values = row.values
                for (index, value) in change.columns { values[index] = value }
                newRows[change.rowKey] = Row(entity: row.entity, version: row.version + 1, values: values)
            }
            return
        }
        try resolve(change, row, transaction)
    }

    /// Somebody changed the row since it was read, or deleted it.
    private func resolve(_ change: RowChange, _ row: Row?, _ transaction: SaveTransaction) throws {
        let layout = change.entity.layout
        let policy = policy(for: change.rowKey)
        guard let current = try RowReader.row(change.entity, change.key, transaction.connection) else {
            if policy == .rollback || policy == .storeTrump { return stale.formUnion([change.rowKey]) }
            return conflicts.append(.init(object: change.reference, reason: "it was deleted"))
        }
        var columns = change.columns
        // The version rises for the other end of a relationship too: where no column differs, nobody's change is lost.
        let isUntouched = row.map { current.hasSameValues(as: $0) } ?? false
        switch policy {
        case _ where isUntouched: break
        case .error:
            return conflicts.append(.init(object: change.reference, reason: conflict(row?.version, current.version)))
        case .rollback:
            return stale.formUnion([change.rowKey])
        case .storeTrump:
            for index in columns.keys where row.map({ $0.values[index] != current.values[index] }) ?? true {
                columns[index] = nil
            }
            if columns.isEmpty { return stale.formUnion([change.rowKey]) }
        case .objectTrump: break
        case .overwrite:
            for (index, value) in (row?.values ?? []).enumerated() where columns[index] == nil {
                columns[index] = value
            }
        }
        let list = columns.sorted { $0.key < $1.key }.map { (index: $0.key, value: $0.value) }
        _ = try transaction.update(
            layout, key: change.key, expecting: nil, columns: list, changed: change.names.sorted())
        stale.insert(change.rowKey)
    }
}
