import Foundation
import SQLite
import StoreFormat

extension SaveRun {
    /// Writes the rows: what delete rules do to the other stack's in its name, then deletes, so that their unique values are
    /// free, then updates, inserts, and the join rows.
    /// - Throws: `StoreError` `VersionConflict`, with every object that somebody else changed.
    func write() throws {
        var conflicts: [StoreError.Offence] = []
        let forwarded = order.filter(isForwarded)
        let deleted = order.filter { $0.kind == .delete }
        try transaction.forward(deleting: deleted.map(\.written), reaching: forwarded.map(\.written)) { part in
            try writeExisting(forwarded, part, &conflicts)
        }
        try writeExisting(order.filter { !isForwarded($0) }, transaction, &conflicts)
        if let first = conflicts.first {
            throw StoreError(
                .versionConflict,
                "\(first.object) \(first.reason)" + (conflicts.count > 1 ? "; and \(conflicts.count - 1) more" : ""),
                way: "refresh, or roll back, and save again", objects: conflicts)
        }
        for work in order where work.kind == .insert { try writeInsert(work) }
        try writeJoins()
    }

    /// Deletes and updates.
    private func writeExisting(
        _ works: [SaveWork], _ transaction: SaveTransaction, _ conflicts: inout [StoreError.Offence]
    ) throws {
        for work in works where work.kind == .delete {
            try deleteJoins(of: work, transaction)
            guard try transaction.delete(work.entity.layout, key: work.key, expecting: work.expecting) else {
                try note(work, &conflicts)
                continue
            }
        }
        for work in works where work.kind == .update {
            if work.isTouch {
                try writeTouch(work)
            } else if try !writeUpdate(work, transaction) {
                try note(work, &conflicts)
            }
        }
    }

    private func note(_ work: SaveWork, _ conflicts: inout [StoreError.Offence]) throws {
        let now = try row(work.entity, work.key)?.version
        // Deleted already: somebody else had the same wish.
        if now == nil, work.kind == .delete { return }
        let seen = work.expecting.map { "version \($0)" } ?? "the row"
        conflicts.append(
            .init(
                object: work.reference,
                reason: now.map { "was changed since it was read: \(seen) was seen, it is at version \($0)" }
                    ?? "was deleted since it was read"))
    }

    private func writeTouch(_ work: SaveWork) throws {
        guard transaction.owns(work.entity.name) else {
            return try transaction.noteChange(work.entity.layout, key: work.key, changed: work.changed)
        }
        _ = try transaction.update(
            work.entity.layout, key: work.key, expecting: nil, columns: [], changed: work.changed)
    }

    /// A slot's value as the column gets it: keys of new objects are their permanent ones by now.
    private func final(_ value: SQLValue, _ slot: Int, _ entity: EntityPlan) throws -> SQLValue {
        switch value {
        case .integer(let key) where key < 0 && entity.leaves[slot] == nil:
            return keys[key].map { .integer($0.key) } ?? .null
        case .blob(let bytes):
            guard let leaf = entity.leaves[slot], leaf.isExternal else { return value }
            return try transaction.encode(.data(Data(bytes)), as: leaf)
        default: return value
        }
    }

    private func writeUpdate(_ work: SaveWork, _ transaction: SaveTransaction) throws -> Bool {
        var columns: [(index: Int, value: SQLValue)] = []
        var values = work.row?.values ?? []
        for (slot, value) in work.values.sorted(by: { $0.key < $1.key }) {
            let column = work.entity.columns[slot]
            guard column >= 0 else { continue }
            let value = try final(value, slot, work.entity)
            columns.append((column, value))
            if slot < values.count { values[slot] = value }
        }
        func write(expecting version: Int64?) throws -> Bool {
            let isWritten = try transaction.update(
                work.entity.layout, key: work.key, expecting: version, columns: columns, changed: work.changed)
            if isWritten, let version, !values.isEmpty {
                keep(StoredRow.make(work.entity, key: work.key, version: version + 1, values: values))
            }
            return isWritten
        }
        if try write(expecting: work.expecting) { return true }
        // The version rises for the other end of a relationship too: where no column differs, nobody's change is lost.
        // A batch's versions are its client's, and mean what they say.
        guard context.facade != nil, let seen = work.row, let current = try row(work.entity, work.key),
            current.hasSameValues(as: seen)
        else { return false }
        return try write(expecting: current.version)
    }

    private func writeInsert(_ work: SaveWork) throws {
        let entity = work.entity
        var row = [SQLValue](repeating: .null, count: entity.layout.columns.count)
        var values = work.backing?.values ?? []
        while values.count < entity.slotCount { values.append(.null) }
        for (slot, value) in work.values { values[slot] = value }
        for slot in entity.specialSlots { values[slot] = try final(values[slot], slot, entity) }
        for (slot, column) in entity.columns.enumerated() where column >= 0 { row[column] = values[slot] }
        try transaction.insert(entity.layout, key: work.key, values: row)
        keep(StoredRow.make(entity, key: work.key, version: 1, values: values))
    }
}
