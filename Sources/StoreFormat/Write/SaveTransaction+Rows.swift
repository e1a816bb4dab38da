import SQLite
import StoreModel

/// Objects' rows, each with its change in history.
extension SaveTransaction {
    /// The entity's statements, compiled once a transaction.
    func rowStatements(_ entity: EntityLayout) throws -> RowStatements {
        if let known = statements[entity.number] { return known }
        let made = RowStatements(connection, entity)
        statements[entity.number] = made
        return made
    }

    /// Inserts an object's row, with version 1.
    /// - Parameter values: one for each of `entity.columns`, in their order.
    /// - Throws: `StoreError` `UniqueConflict` where a uniqueness constraint has the values already.
    public func insert(_ entity: EntityLayout, key: Int64, values: [SQLValue]) throws {
        try requireAuthority(entity, key)
        wroteRows = true
        let statement = try rowStatements(entity).insert
        statement.bind(key, at: 1)
        statement.bind(entity.number, at: 2)
        for (i, value) in values.enumerated() { statement.bind(value, at: i + 3) }
        try uniquely(entity, nil, { values[$0] }, { try statement.run() })
        if !newFiles.isEmpty { noteFiles(entity, values.enumerated().map { (index: $0, value: $1) }) }
        try log?.append(.insert, entity, key, columns: nil, tombstone: [])
    }

    /// Updates an object's row: sets columns, adds 1 to its version, and records the change.
    /// - Parameters:
    ///   - expecting: the version that the object was read at; nil writes whatever the version is.
    ///   - columns: what to set, by index into `entity.columns`; may be empty where only a relationship's other end
    ///     changed.
    ///   - changed: the properties that history marks.
    /// - Returns: false, with nothing written, if the row is gone or has another version.
    public func update(
        _ entity: EntityLayout, key: Int64, expecting: Int64?, columns: [(index: Int, value: SQLValue)],
        changed: some Sequence<String>
    ) throws -> Bool {
        try requireAuthority(entity, key)
        if let expecting { try requireNextVersion(.integer(expecting), entity, key) }
        let files = try files(entity, key, columns: columns.map(\.index))
        let statement = try rowStatements(entity).update(columns.map(\.index), checksVersion: expecting != nil)
        for (i, column) in columns.enumerated() { statement.bind(column.value, at: i + 1) }
        statement.bind(key, at: columns.count + 1)
        statement.bind(entity.number, at: columns.count + 2)
        if let expecting { statement.bind(expecting, at: columns.count + 3) }
        try uniquely(entity, key, { index in columns.first { $0.index == index }?.value }, { try statement.run() })
        guard connection.changes > 0 else {
            if expecting == nil, let version = try version(entity, key) {
                try requireNextVersion(version, entity, key)
            }
            return false
        }
        wroteRows = true
        retire(files)
        noteFiles(entity, columns)
        try log?.append(.update, entity, key, columns: entity.bitmap.encode(changed), tombstone: [])
        return true
    }

    private func version(_ entity: EntityLayout, _ key: Int64) throws -> SQLValue? {
        try connection.scalar(
            "SELECT Z_OPT FROM \(entity.table.sqlIdentifier) WHERE Z_PK = ? AND Z_ENT = ?",
            [.integer(key), .integer(entity.number)])
    }

    /// - Throws: `StoreError` `Damaged` for the last version that there is.
    private func requireNextVersion(_ version: SQLValue, _ entity: EntityLayout, _ key: Int64) throws {
        _ = try FileCounter.advance(
            version.integerValue ?? .max, "versions of \(entity.name)/\(key)",
            place: "Z_OPT in \(entity.table), where Z_PK is \(key)")
    }

    /// Records that a relationship's other end changed whose row the other stack owns: a change row only, no version.
    public func noteChange(_ entity: EntityLayout, key: Int64, changed: some Sequence<String>) throws {
        wroteRows = true
        try log?.append(.update, entity, key, columns: entity.bitmap.encode(changed), tombstone: [])
    }

    /// Deletes an object's row and records it, with the values that its entity preserves. Join rows and the keys that
    /// others hold are the caller's to remove before.
    /// - Returns: false, with nothing written, if the row is gone or has another version.
    public func delete(_ entity: EntityLayout, key: Int64, expecting: Int64?) throws -> Bool {
        try requireAuthority(entity, key)
        let files = try files(entity, key, columns: Array(externalColumns(entity)))
        let tombstone = try tombstone(entity, key)
        let statement = try rowStatements(entity).delete(checksVersion: expecting != nil)
        statement.bind(key, at: 1)
        statement.bind(entity.number, at: 2)
        if let expecting { statement.bind(expecting, at: 3) }
        try statement.run()
        guard connection.changes > 0 else { return false }
        wroteRows = true
        retire(files)
        if store.layout.keysOfDeleted[entity.rootName] != nil { deletedTargets.append((entity, key)) }
        try log?.append(.delete, entity, key, columns: nil, tombstone: tombstone)
        return true
    }

    private func tombstone(_ entity: EntityLayout, _ key: Int64) throws -> [SQLValue] {
        guard case .interned(let count) = store.historyForm, count > 0 else { return [] }
        // The file of a value that may lie outside goes with the row: its reference would lead nowhere.
        let columns = entity.tombstoneAttributes.prefix(count).map { attribute in
            attribute.leaf.flatMap { $0.isExternal ? nil : $0.column }
        }
        guard columns.contains(where: { $0 != nil }) else { return [] }
        let list = columns.map { $0.map { entity.columns[$0].sqlIdentifier } ?? "NULL" }.joined(separator: ", ")
        return try connection.query(
            "SELECT \(list) FROM \(entity.table.sqlIdentifier) WHERE Z_PK = ?", [.integer(key)]
        ).first ?? []
    }
}
