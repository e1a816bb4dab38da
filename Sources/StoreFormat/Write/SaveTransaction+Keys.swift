import SQLite

extension SaveTransaction {
    /// Clears the keys of deleted objects that no delete rule reached: in relationships without an inverse, and in one-to-one
    /// pairs of which one side alone held a key. Apple's frameworks leave them, and the next read finds a key that leads
    /// nowhere. The owner's part of a forwarded delete clears those in the owner's rows.
    /// - Throws: `StoreError` `DeleteDenied` where such a relationship is required, `CrossStackDelete` where its row is
    ///   the other stack's.
    func nullifyKeys(of deleted: [WrittenRow]) throws {
        var changes: TransactionChanges?
        try forEachKeyHolding(deleted) { target, holder, found in
            let objects = isPart ? found.filter { owns($0.entity.name) } : found
            guard !objects.isEmpty else { return }
            try refuseIfNeeded(objects, holder, target: ObjectReference(entity: target.entity.name, key: target.key))
            let known = try changes ?? TransactionChanges(connection, number: log?.number)
            changes = known
            for (entity, key) in objects { try clear(holder, entity, key, known) }
        }
    }

    /// The rows that hold a key of a deleted object, relationship by relationship.
    func forEachKeyHolding(
        _ deleted: [WrittenRow],
        _ body: (WrittenRow, StoreLayout.KeyHolder, [WrittenRow]) throws -> Void
    ) throws {
        for target in deleted {
            for holder in store.layout.keysOfDeleted[target.entity.rootName] ?? [] {
                let column = holder.entity.columns[holder.key.column].sqlIdentifier
                let numbers = holder.entity.treeNumbers.map { "\($0)" }.joined(separator: ", ")
                let rows = try connection.query(
                    """
                    SELECT Z_ENT, Z_PK FROM \(holder.entity.table.sqlIdentifier)
                    WHERE \(column) = ? AND Z_ENT IN (\(numbers))
                    """, [.integer(target.key)])
                guard !rows.isEmpty else { continue }
                let objects = rows.compactMap { row -> WrittenRow? in
                    guard let entity = row[0].integerValue.flatMap({ store.layout[number: $0] }),
                        let key = row[1].integerValue
                    else { return nil }
                    return (entity, key)
                }
                try body(target, holder, objects)
            }
        }
    }

    private func refuseIfNeeded(
        _ objects: [WrittenRow], _ holder: StoreLayout.KeyHolder, target: ObjectReference
    ) throws {
        let name = "\(holder.entity.name).\(holder.relationship.name)"
        func offences(_ reason: String, of objects: [WrittenRow]) -> [StoreError.Offence] {
            objects.map { entity, key in
                let unit = register?.unit(ofEntity: entity.name)
                return .init(
                    object: ObjectReference(entity: entity.name, key: key), owner: unit?.owner, epoch: unit?.epoch,
                    reason: reason)
            }
        }
        guard holder.relationship.description.isOptional else {
            throw StoreError(
                .deleteDenied,
                "\(target) cannot be deleted: \(name) of \(objects.count) object\(objects.count == 1 ? "" : "s") requires it",
                way: "delete those first, or give them another \(holder.relationship.name)",
                objects: offences("\(name) requires \(target)", of: objects))
        }
        let foreign = objects.filter { !owns($0.entity.name) }
        guard foreign.isEmpty else {
            throw StoreError(
                .crossStackDelete,
                "\(target) cannot be deleted: \(name) of \(foreign.count) object\(foreign.count == 1 ? "" : "s") that the other "
                    + "stack owns leads to it",
                way: "let the owner clear \(name) first", objects: offences("\(name) leads to \(target)", of: foreign))
        }
    }

    private func clear(
        _ holder: StoreLayout.KeyHolder, _ entity: EntityLayout, _ key: Int64, _ changes: TransactionChanges
    ) throws {
        let names = [holder.key.column, holder.key.entityColumn, holder.key.orderColumn].compactMap { $0 }
            .map { holder.entity.columns[$0] }
        let columns = names.compactMap { name in
            entity.columns.firstIndex(of: name).map { (index: $0, value: SQLValue.null) }
        }
        sideEffects.insert(entity.name)
        // An object has one change row in a transaction, and one step of its version.
        guard let change = changes[entity.number, key] else {
            _ = try update(entity, key: key, expecting: nil, columns: columns, changed: [holder.relationship.name])
            return
        }
        let sets = names.map { "\($0.sqlIdentifier) = NULL" }.joined(separator: ", ")
        try connection.run(
            "UPDATE \(entity.table.sqlIdentifier) SET \(sets) WHERE Z_PK = ?", [.integer(key)])
        guard let bits = change.columns else { return }
        let merged = zip(bits, entity.bitmap.encode([holder.relationship.name])).map { $0 | $1 }
        log?.forgetChanges()
        try connection.run("UPDATE ACHANGE SET ZCOLUMNS = ? WHERE Z_PK = ?", [.blob(merged), .integer(change.row)])
    }
}

/// The changes that a transaction has recorded so far, by object.
private struct TransactionChanges {
    /// A row of ACHANGE; the columns of an update, nil for an insert.
    struct Change {
        var row: Int64
        var columns: [UInt8]?
    }

    private var byObject: [Int64: [Int64: Change]] = [:]

    init(_ connection: Connection, number: Int64?) throws {
        guard let number else { return }
        try connection.prepare(
            "SELECT Z_PK, ZENTITY, ZENTITYPK, ZCOLUMNS FROM ACHANGE WHERE ZTRANSACTIONID = ? AND ZCHANGETYPE < 2"
        ).forEach([.integer(number)]) { row in
            byObject[row.integer(1), default: [:]][row.integer(2)] = Change(row: row.integer(0), columns: row.blob(3))
        }
    }

    subscript(entity: Int64, key: Int64) -> Change? { byObject[entity]?[key] }
}
