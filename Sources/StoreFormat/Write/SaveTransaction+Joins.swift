import SQLite

extension SaveTransaction {
    /// Adds a pair to a join table; for a relationship that is its own inverse, both rows of the pair.
    /// - Parameters:
    ///   - order: the destination's place in this relationship, where it is ordered.
    ///   - inverseOrder: this object's place in the inverse, where that is ordered.
    public func insertJoin(
        _ join: RelationshipLayout.JoinTable, own: Int64, other: Int64, order: Int64? = nil, inverseOrder: Int64? = nil
    ) throws {
        var columns = [join.ownColumn, join.otherColumn]
        var values: [SQLValue] = [.integer(own), .integer(other)]
        if let column = join.orderColumn {
            columns.append(column)
            values.append(order.map { .integer($0) } ?? .null)
        }
        if let column = join.inverseOrderColumn {
            columns.append(column)
            values.append(inverseOrder.map { .integer($0) } ?? .null)
        }
        let names = columns.map(\.sqlIdentifier).joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let sql = "INSERT OR IGNORE INTO \(join.table.sqlIdentifier) (\(names)) VALUES (\(marks))"
        try connection.run(sql, values)
        if join.isReflexive, own != other { try connection.run(sql, [.integer(other), .integer(own)]) }
    }

    /// Removes a pair.
    public func deleteJoin(_ join: RelationshipLayout.JoinTable, own: Int64, other: Int64) throws {
        let sql = """
            DELETE FROM \(join.table.sqlIdentifier)
            WHERE \(join.ownColumn.sqlIdentifier) = ? AND \(join.otherColumn.sqlIdentifier) = ?
            """
        try connection.run(sql, [.integer(own), .integer(other)])
        if join.isReflexive, own != other { try connection.run(sql, [.integer(other), .integer(own)]) }
    }

    /// Sets the destination's place in an ordered relationship.
    public func setJoinOrder(_ join: RelationshipLayout.JoinTable, own: Int64, other: Int64, order: Int64) throws {
        guard let column = join.orderColumn else { return }
        try connection.run(
            """
            UPDATE \(join.table.sqlIdentifier) SET \(column.sqlIdentifier) = ?
            WHERE \(join.ownColumn.sqlIdentifier) = ? AND \(join.otherColumn.sqlIdentifier) = ?
            """, [.integer(order), .integer(own), .integer(other)])
    }

    /// Removes every pair that the object is in, as its deletion does; any stack may, for an object of its own.
    public func deleteAllJoins(_ join: RelationshipLayout.JoinTable, own: Int64) throws {
        let table = join.table.sqlIdentifier
        try connection.run("DELETE FROM \(table) WHERE \(join.ownColumn.sqlIdentifier) = ?", [.integer(own)])
        if join.isReflexive {
            try connection.run("DELETE FROM \(table) WHERE \(join.otherColumn.sqlIdentifier) = ?", [.integer(own)])
        }
    }

    /// Whether this stack may add, remove or reorder the join table's pairs.
    public func ownsJoin(_ join: RelationshipLayout.JoinTable) -> Bool {
        guard let unit = register?.unit(ofJoinTable: join.table) else { return true }
        return unit.owner == authority.stack && !unit.isFrozen
    }

    /// Refuses a change of pairs in a join table that the other stack owns.
    /// - Parameter objects: the objects whose pairs change, without reasons; only asked for in a refusal.
    /// - Throws: `StoreError` `OwnershipViolation` or `Frozen`, naming the objects.
    public func authorizeJoin(
        _ join: RelationshipLayout.JoinTable, relationship: String, objects: @autoclosure () -> [StoreError.Offence]
    ) throws {
        guard !ownsJoin(join), let unit = register?.unit(ofJoinTable: join.table) else { return }
        let reason =
            unit.freeze.map { "\(relationship) is frozen \($0.words)" }
            ?? "the pairs of \(relationship) are owned by the \(unit.owner.rawValue) stack (epoch \(unit.epoch))"
        let code = unit.isFrozen ? StoreError.Code.frozen : .ownershipViolation
        var named: Set<StoreError.Offence> = []
        let offences = objects().filter { named.insert($0).inserted }.map { object in
            var offence = object
            (offence.owner, offence.epoch, offence.reason) = (unit.owner, unit.epoch, reason)
            return offence
        }
        // A name that the person has given, where handing that over hands over the pairs.
        let entity = (offences.map(\.object.entity) + relationship.split(separator: ".").prefix(1).map(String.init))
            .first { register?.unitOfEntity[$0] == unit.name }
        let whose = offences.isEmpty ? "" : " of \(StoreError.list(offences))"
        throw StoreError(
            code, "the \(authority.stack.rawValue) stack may not change \(relationship)\(whose): \(reason)",
            way: way(code, entity ?? unit.name, unit.freeze), objects: offences)
    }
}
