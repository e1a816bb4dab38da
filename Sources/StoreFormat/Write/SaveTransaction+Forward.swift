import SQLite

extension SaveTransaction {
    /// A row that a save writes.
    public typealias WrittenRow = (entity: EntityLayout, key: Int64)

    /// Has what delete rules do to the other stack's rows written in that stack's name: to be called before anything else
    /// is written, since the owner's part comes first. Does nothing where no such row is reached.
    /// - Parameters:
    ///   - targets: every object that the save deletes, of either owner.
    ///   - reached: the other stack's rows that the rules delete or change.
    ///   - write: writes those, through the transaction that it is given.
    /// - Throws: `StoreError`: `CrossStackDelete`, naming every row, where deletes are not forwarded; `Frozen` or
    ///   `StaleEpoch` where the owner may not write just now; `DeleteDenied`.
    public func forward(
        deleting targets: [WrittenRow], reaching reached: [WrittenRow], _ write: (SaveTransaction) throws -> Void
    ) throws {
        guard register != nil else { return }
        guard let forwarding, let owner = forwarding.owner else {
            if !reached.isEmpty { throw try crossing(reached, deleting: targets) }
            // Keys that no rule leads to are looked for when the rows are gone.
            return
        }
        var rows = reached
        try forEachKeyHolding(targets) { _, _, objects in rows += objects.filter { !owns($0.entity.name) } }
        guard !rows.isEmpty else { return }
        guard !wroteRows else {
            throw StoreError(.refused, "rows were written before the owner's part of the delete", way: "report this")
        }
        if !isForwarding { forwarding.begin() }
        isForwarding = true
        let part = try SaveTransaction(partOf: self, authority: owner.authority)
        try part.authorizeAsOwner(owner, rows)
        try write(part)
        try part.nullifyKeys(of: targets)
        try take(part)
        forwarding.reach(.ownersPart)
    }

    /// An owner that is behind a switch in its favour replays first, as it does before a save of its own.
    private func authorizeAsOwner(_ owner: any StackInstance, _ rows: [WrittenRow]) throws {
        var entities: [Int64: EntityLayout] = [:]
        for row in rows { entities[row.entity.number] = row.entity }
        let layouts = entities.values.sorted { $0.number < $1.number }
        func authorize() throws {
            try self.authorize(layouts) { name in
                rows.filter { $0.entity.name == name }.map {
                    StoreError.Offence(object: ObjectReference(entity: name, key: $0.key), reason: "")
                }
            }
        }
        do {
            return try authorize()
        } catch is BehindSwitch {
            try owner.replay()
            authority = owner.authority
        }
        do { try authorize() } catch let error as BehindSwitch { throw error.refusal }
    }

    /// Ends the owner's part; this transaction's own history comes after it.
    private func take(_ part: SaveTransaction) throws {
        forwarded = try part.finishPart()
        sideEffects.formUnion(part.sideEffects)
        newFiles += part.newFiles
        obsoleteFiles += part.obsoleteFiles
        usedFiles.formUnion(part.usedFiles)
        deletedTargets += part.deletedTargets
        if log != nil { log = try HistoryAppender(connection, form: store.historyForm, isAdopted: register != nil) }
    }
}
