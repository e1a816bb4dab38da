import SQLite
import StoreFormat

extension SaveRun {
    /// New objects whose unique values the store has already become updates of the rows that have them.
    func findExistingRows(_ counts: inout [Int: Int]) throws {
        for work in order where work.kind == .insert && !work.entity.layout.uniquenessConstraints.isEmpty {
            guard let key = try existingKey(work), self.work(work.entity.root, key)?.kind != .delete else { continue }
            guard let row = try row(work.entity, key), row.plan === work.entity else {
                let offence = work.offence("not unique")
                throw StoreError(
                    .uniqueConflict,
                    "\(offence.name) cannot be saved: an object of another entity has its unique value",
                    way: "change the value", objects: [offence])
            }
            counts[work.entity.root, default: 1] -= 1
            try becomeUpdate(work, row)
        }
    }

    private func existingKey(_ work: SaveWork) throws -> Int64? {
        let layout = work.entity.layout
        for constraint in layout.uniquenessConstraints {
            let values = constraint.columns.map { column in
                work.entity.columns.firstIndex(of: column).map { work.value($0) } ?? .null
            }
            // NULLs are distinct from one another.
            guard !values.contains(.null) else { continue }
            let condition = constraint.columns.map { "\(layout.columns[$0].sqlIdentifier) = ?" }.joined(
                separator: " AND ")
            let found = try transaction.connection.scalar(
                "SELECT Z_PK FROM \(layout.table.sqlIdentifier) WHERE \(condition)", values)
            if let key = found?.integerValue { return key }
        }
        return nil
    }

    private func becomeUpdate(_ work: SaveWork, _ row: StoredRow) throws {
        let temporary = work.key
        keys[temporary] = ObjectKey(entity: Int32(work.entity.index), key: row.key)
        work.kind = .update
        work.key = row.key
        work.row = row
        work.expecting = row.version
        for property in work.entity.properties {
            switch property.kind {
            case .attribute(let attribute):
                for slot in property.slot..<property.slot + attribute.leaves.count {
                    let value = work.backing?.value(slot) ?? .null
                    guard !value.isStored(as: row[slot]) else { continue }
                    work.values[slot] = value
                    work.changed.insert(property.name)
                }
            case .toOne:
                let value = work.backing?.value(property.slot) ?? .null
                guard !value.isNull, value != row[property.slot] else { continue }
                work.values[property.slot] = value
                work.changed.insert(property.name)
            case .toMany: break
            }
        }
    }
}
