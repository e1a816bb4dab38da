import Foundation
import SQLite
import StoreFormat
import StoreModel

/// One attempt to save a context: turns its objects into rows inside the transaction, and after the commit brings the
/// objects up to date. Until then nothing in memory changes.
final class SaveWork {
    let context: NSManagedObjectContext
    let schema: Schema
    let inserted: [NSManagedObject]
    let updated: [NSManagedObject]
    let deleted: [NSManagedObject]
    let policy: NSMergePolicy.Kind

    /// The keys of new objects, by their temporary ones.
    var keys: [Int64: Int64] = [:]
    var inserts: [RowInsert] = []
    var insertPlaces: [Int64: Int] = [:]
    var changes: [RowKey: RowChange] = [:]
    /// In the order in which they were found, so that a save is the same each time.
    var changeOrder: [RowChange] = []
    var joins: [JoinChange] = []
    var pairs: [PairName: Int] = [:]
    var reorders: [(join: RelationshipLayout.JoinTable, own: Int64, other: Int64, order: Int64)] = []
    /// Rows after the save, where they are known.
    var newRows: [RowKey: Row] = [:]
    /// Objects whose changes a merge policy gave up, or whose rows are to be read again.
    var stale: Set<RowKey> = []
    var conflicts: [StoreError.Offence] = []
    var noted: Set<RowKey> = []
    /// What owners lose of their to-manys without an inverse, by owner and relationship.
    var formerMembers: [RowKey: [String: Set<RowKey>]] = [:]
    /// The cache's, before the commit: what is invalidated between the commit and `settle` may be newer than these rows.
    var generation = 0
    /// The other stack's rows that delete rules alone write.
    var forwarded: Set<RowKey> = []

    init(_ context: NSManagedObjectContext) {
        self.context = context
        schema = context.instance.schema
        inserted = context.pendingInserted
        updated = context.pendingUpdated.filter(\.hasPersistentChangedValues)
        deleted = Array(context.deletedList)
        policy = context.mergePolicy.kind
    }

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    /// The key in the store.
    func key(_ id: NSManagedObjectID) -> Int64 { id.key > 0 ? id.key : keys[id.key] ?? id.key }

    // MARK: In the transaction

    func run(_ transaction: SaveTransaction) throws {
        try checkExpectations(transaction)
        try allocate(transaction)
        for (place, object) in inserted.enumerated() {
            insertPlaces[object.id.key] = place
            inserts.append(RowInsert(object: object, key: keys[object.id.key] ?? 0, values: []))
        }
        for place in inserts.indices { inserts[place].values = try values(inserts[place].object, transaction) }
        for object in updated { try collect(object, transaction) }
        for list in [inserted, updated, deleted] {
            for object in list where !object.info.relationshipSlots.isEmpty { try relate(object, transaction) }
        }
        try touchFormerOwners(transaction)
        findForwarded(transaction)
        try authorize(transaction)
        let reached =
            deleted.filter(isForwarded).map(\.written) + changeOrder.filter(isForwarded).map(\.written)
        try transaction.forward(deleting: deleted.map(\.written), reaching: reached) { part in
            for object in deleted where isForwarded(object) { try delete(object, part) }
            for change in changeOrder where isForwarded(change) { try update(change, part) }
        }
        for object in deleted where !isForwarded(object) { try delete(object, transaction) }
        for change in changeOrder where !isForwarded(change) { try update(change, transaction) }
        for insert in inserts {
            try transaction.insert(insert.object.info.layout, key: insert.key, values: insert.values)
        }
        try writeJoins(transaction)
        // Before what still leads to a deleted object is looked for: a row that was not deleted for a conflict does.
        if !conflicts.isEmpty {
            let shown = conflicts.prefix(10).map { "\($0.name): \($0.reason)" }.joined(separator: "; ")
            throw StoreError(
                .versionConflict, shown + (conflicts.count > 10 ? "; and \(conflicts.count - 10) more" : ""),
                way: "refresh the objects, or set another merge policy, and save again",
                objects: conflicts)
        }
        try checkDangling(transaction)
        generation = context.instance.cache.generation
    }

    private func checkExpectations(_ transaction: SaveTransaction) throws {
        for (key, version) in context.expectations.sorted(by: { $0.key.key < $1.key.key }) {
            let table = schema.entities[key.root].layout.table.sqlIdentifier
            let current = try transaction.connection.scalar(
                "SELECT Z_OPT FROM \(table) WHERE Z_PK = ?", [.integer(key.key)])
            guard current?.integerValue != version else { continue }
            let entity = context.registeredObject(key)?.info.name ?? schema.entities[key.root].name
            conflicts.append(
                .init(
                    object: ObjectReference(entity: entity, key: key.key),
                    reason: current.map { "its version is \($0.integerValue ?? 0), and \(version) was expected" }
                        ?? "it does not exist"))
        }
    }

    private func allocate(_ transaction: SaveTransaction) throws {
        var counts: [Int: Int] = [:]
        for object in inserted where object.id.isTemporaryID && context.permanentKeys[object.id.key] == nil {
            counts[object.info.rootIndex, default: 0] += 1
        }
        var next: [Int: Int64] = [:]
        for (root, count) in counts {
            next[root] = try transaction.allocateKeys(count, for: schema.entities[root].layout)
        }
        keys.reserveCapacity(inserted.count)
        for object in inserted {
            if let known = context.permanentKeys[object.id.key] {
                keys[object.id.key] = known
            } else if let key = next[object.info.rootIndex] {
                keys[object.id.key] = key
                next[object.info.rootIndex] = key + 1
            }
        }
    }

    /// Checks all entities whose rows change. A row of which only the other end of a relationship changed is written
    /// where this stack owns it, and noted in history where it does not.
    private func authorize(_ transaction: SaveTransaction) throws {
        var entities: Set<Int> = []
        for insert in inserts { entities.insert(insert.object.info.index) }
        for object in deleted where !isForwarded(object) { entities.insert(object.info.index) }
        for change in changeOrder where !isForwarded(change) {
            if !change.columns.isEmpty || transaction.owns(change.entity.name) {
                entities.insert(change.entity.index)
            } else {
                noted.insert(change.rowKey)
            }
        }
        let layouts = entities.sorted().map { schema.entities[$0].layout }
        try transaction.authorize(layouts) { name in
            let kept =
                deleted.filter { $0.info.name == name && !isForwarded($0) }.map(\.id.shown)
                + changeOrder.filter { $0.entity.name == name && !noted.contains($0.rowKey) && !isForwarded($0) }
                .map(\.reference)
            return inserts.filter { $0.object.info.name == name }.map(Self.offence)
                + kept.map { StoreError.Offence(object: $0, reason: "") }
        }
    }

    /// A new object, which has no row and no key that says anything.
    private static func offence(_ insert: RowInsert) -> StoreError.Offence {
        StoreError.Offence(
            object: ObjectReference(entity: insert.object.info.name, key: 0), reason: "",
            label: NewObjectName.text(insert.object.info.layout) { insert.values[$0] })
    }

    /// Objects as a refusal names them.
    func offences(_ objects: [ObjectReference]) -> [StoreError.Offence] {
        let new = Dictionary(
            inserts.map { (ObjectReference(entity: $0.object.info.name, key: $0.key), $0) },
            uniquingKeysWith: { first, _ in first })
        return objects.map { object in new[object].map(Self.offence) ?? .init(object: object, reason: "") }
    }

    private func findForwarded(_ transaction: SaveTransaction) {
        for object in deleted
        where context.ruleEffects.deleted.contains(object.id.rowKey) && !transaction.owns(object.info.name) {
            forwarded.insert(object.id.rowKey)
        }
        for change in changeOrder
        where change.isByRule && !change.columns.isEmpty && !transaction.owns(change.entity.name) {
            forwarded.insert(change.rowKey)
        }
    }

    private func isForwarded(_ object: NSManagedObject) -> Bool { forwarded.contains(object.id.rowKey) }
    private func isForwarded(_ change: RowChange) -> Bool { forwarded.contains(change.rowKey) }
}
