import SQLite
import StoreFormat

extension SaveWork {
    /// Marks the owners that lose a member of a to-many without an inverse, because the member is deleted or goes to another
    /// owner: both ends of a changed relationship get a version and a change (Format, section 12). What the member's row
    /// says is asked of the store, since no object in memory knows of its owner.
    func touchFormerOwners(_ transaction: SaveTransaction) throws {
        for object in deleted {
            for (name, key) in object.info.layout.foreignKeysWithoutInverse.sorted(by: { $0.key < $1.key }) {
                try touchOwner(name, key, of: object.info, object.id.key, isNow: nil, transaction)
            }
        }
        for change in changeOrder {
            for (name, key) in change.entity.layout.foreignKeysWithoutInverse.sorted(by: { $0.key < $1.key }) {
                guard let now = change.columns[key.column] else { continue }
                try touchOwner(name, key, of: change.entity, change.key, isNow: now, transaction)
            }
        }
    }

    private func touchOwner(
        _ name: String, _ key: RelationshipLayout.ForeignKey, of member: SchemaEntity, _ memberKey: Int64,
        isNow: SQLValue?, _ transaction: SaveTransaction
    ) throws {
        let parts = name.split(separator: ".").map(String.init)
        guard parts.count == 2, let declared = schema[parts[0]] else { return }
        let (table, column) = (member.layout.table.sqlIdentifier, member.layout.columns[key.column].sqlIdentifier)
        let owner = declared.layout.table.sqlIdentifier
        // An owner that is gone has nothing to be marked.
        let row = try transaction.connection.query(
            """
            SELECT o.Z_PK, o.Z_ENT FROM \(table) m JOIN \(owner) o ON o.Z_PK = m.\(column)
            WHERE m.Z_PK = ? AND m.Z_ENT = ?
            """, [.integer(memberKey), .integer(member.layout.number)]
        ).first
        guard let row, let ownerKey = row[0].integerValue, isNow != .integer(ownerKey),
            let entity = row[1].integerValue.flatMap({ schema[number: $0] }), declared.isAncestor(of: entity)
        else { return }
        let id = NSManagedObjectID(entity, key: ownerKey)
        let object = context.registeredObject(id.rowKey)
        if object?.flags.contains(.deleted) == true { return }
        change(id, object).names.insert(parts[1])
        formerMembers[id.rowKey, default: [:]][parts[1], default: []]
            .insert(RowKey(root: member.rootIndex, key: memberKey))
    }

    /// Takes what owners lost out of what was read of their relationships.
    func forgetFormerMembers(_ object: NSManagedObject) {
        guard !object.slots.isEmpty, let lost = formerMembers[object.id.rowKey] else { return }
        for (name, members) in lost {
            guard let slot = object.info.slots[name], case .many(let state) = object.slots[slot] else { continue }
            state.base?.removeAll { members.contains($0.rowKey) }
            state.order?.removeAll { members.contains($0.rowKey) }
        }
    }
}
