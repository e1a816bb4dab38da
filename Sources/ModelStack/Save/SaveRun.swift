import SQLite
import StoreFormat
import StoreModel

/// One save of a context, inside its transaction: from the pending changes to the rows.
///
/// It reads the context and leaves it alone, so that a save that is refused changes nothing; `finish(_:)` brings the
/// context up to date after the commit.
final class SaveRun {
    let context: ObjectContext
    let plan: StorePlan
    let transaction: SaveTransaction
    /// The cache's, before the commit: what is invalidated between the commit and `finish` may be newer than these rows.
    private var generation: UInt64 = 0
    var works: [RowPlace: SaveWork] = [:]
    var order: [SaveWork] = []
    /// The permanent key of each new object, by its temporary one.
    var keys: [Int64: ObjectKey] = [:]
    private(set) var rows: [StoredRow] = []

    init(_ context: ObjectContext, _ transaction: SaveTransaction) {
        self.context = context
        self.transaction = transaction
        plan = context.plan
    }

    /// Writes everything.
    /// - Throws: `StoreError`, with all offending objects.
    func run() throws {
        try collect()
        guard !order.isEmpty else { return }
        try applyDeleteRules()
        try touchOtherEnds()
        try assignOrders()
        // Some were only looked at: siblings of an element that came, as long as their own places stay, and what a deleted
        // object's relationship without an inverse led to.
        order.removeAll { $0.isTouch && $0.changed.isEmpty }
        try validate()
        try assignKeys()
        try authorize()
        try write()
        generation = context.instance.cache.generation
    }

    // MARK: Work

    func work(_ root: Int, _ key: Int64) -> SaveWork? { works[RowPlace(root: root, key: key)] }

    func add(_ work: SaveWork, isPending: Bool = false) {
        work.isPending = isPending
        works[RowPlace(root: work.entity.root, key: work.key)] = work
        order.append(work)
    }

    private func collect() throws {
        works.reserveCapacity(context.pending.count)
        order.reserveCapacity(context.pending.count)
        for backing in context.pending {
            guard let entity = backing.entity else { continue }
            switch backing.state {
            case .inserted:
                add(SaveWork(entity, key: backing.key, kind: .insert, backing: backing), isPending: true)
            case .deleted:
                let work = SaveWork(entity, key: backing.key, kind: .delete, backing: backing)
                work.row = backing.row
                work.expecting = backing.row?.version
                add(work, isPending: true)
            case .persistent:
                if let work = change(of: backing, entity) { add(work, isPending: true) }
            case .detached, .gone: continue
            }
        }
    }

    private func change(of backing: ModelBacking, _ entity: EntityPlan) -> SaveWork? {
        let work = SaveWork(entity, key: backing.key, kind: .update, backing: backing)
        work.row = backing.row
        for slot in backing.values.indices where !backing.values[slot].isStored(as: backing.original(slot)) {
            work.values[slot] = backing.values[slot]
        }
        for slot in work.values.keys {
            if let property = entity.propertyOfSlot[slot] { work.changed.insert(property.name) }
        }
        if backing.toManys.contains(where: \.isChanged) {
            for property in entity.properties {
                guard case .toMany(_, let index) = property.kind, backing.toManys[safe: index]?.isChanged == true else {
                    continue
                }
                work.changed.insert(property.name)
            }
        }
        if !work.values.isEmpty { work.expecting = backing.row?.version }
        return work.values.isEmpty && work.changed.isEmpty ? nil : work
    }

    /// The work on a row that the save reaches from elsewhere: the one that is there, or a new one. Nil without a row.
    func reach(_ declared: EntityPlan, _ key: Int64) throws -> SaveWork? {
        if let known = work(declared.root, key) { return known }
        guard key > 0, let row = try row(declared, key) else { return nil }
        let backing = context.registeredObject(declared.root, key)
        let work = SaveWork(row.plan, key: key, kind: .update, backing: backing)
        work.row = row
        add(work)
        return work
    }

    /// A row as this transaction sees it.
    func row(_ entity: EntityPlan, _ key: Int64) throws -> StoredRow? {
        try ModelInstance.row(entity, key, plan, transaction.connection)
    }

    // MARK: Authority

    /// Whether a delete rule alone writes the row, and it is the other stack's to write.
    func isForwarded(_ work: SaveWork) -> Bool {
        work.isByRule && !work.isTouch && !transaction.owns(work.entity.name)
    }

    private func authorize() throws {
        var entities: [Int: EntityLayout] = [:]
        for work in order where !isForwarded(work) && (!work.isTouch || transaction.owns(work.entity.name)) {
            entities[work.entity.index] = work.entity.layout
        }
        try transaction.authorize(entities.values.sorted { $0.number < $1.number }) { name in
            order.filter { $0.entity.name == name && !isForwarded($0) }.map { $0.offence("") }
        }
        try authorizeJoins()
    }

    // MARK: Keys

    private func assignKeys() throws {
        var counts: [Int: Int] = [:]
        for work in order where work.kind == .insert { counts[work.entity.root, default: 0] += 1 }
        if context.upserts { try findExistingRows(&counts) }
        var next: [Int: Int64] = [:]
        for (root, count) in counts where count > 0 {
            guard let entity = order.first(where: { $0.entity.root == root })?.entity else { continue }
            next[root] = try transaction.allocateKeys(count, for: plan.rootPlan(entity).layout)
        }
        for work in order where work.kind == .insert {
            let root = work.entity.root
            guard let key = next[root] else { continue }
            next[root] = key + 1
            keys[work.key] = ObjectKey(entity: Int32(work.entity.index), key: key)
            work.key = key
        }
    }

    // MARK: After the commit

    /// Brings cache and context to what was written.
    func finish() {
        var removed: [(root: Int, key: Int64)] = []
        var changes: [ObjectChange] = []
        for work in order {
            changes.append(
                ObjectChange(
                    root: work.entity.root, key: work.key, isDelete: work.kind == .delete,
                    properties: work.kind == .update ? Array(work.changed) : nil))
            if work.kind != .insert { removed.append((work.entity.root, work.key)) }
        }
        // What triggers wrote after these rows were, is read anew.
        let written = context.instance.plan.dependents(of: changes.lazy.map(\.root))
        if !written.isEmpty { rows.removeAll { written.contains($0.plan.root) } }
        context.instance.cache.replace(rows, removing: removed, generation: generation)
        if !written.isEmpty { context.instance.cache.drop(written) }
        var fresh: [RowPlace: StoredRow] = [:]
        fresh.reserveCapacity(rows.count)
        for row in rows { fresh[RowPlace(root: row.plan.root, key: row.key)] = row }
        for work in order {
            let backing = work.backing ?? context.registeredObject(work.entity.root, work.key)
            guard let backing else { continue }
            update(backing, work, fresh[RowPlace(root: work.entity.root, key: work.key)])
        }
        // What this save still holds would outlive the objects that go now.
        order = []
        works = [:]
        context.finishSave(keys)
        context.instance.contexts.tell(.changed(changes), except: context.inbox)
        if !written.isEmpty { context.instance.contexts.tell(.dropped(written)) }
    }

    private func update(_ backing: ModelBacking, _ work: SaveWork, _ row: StoredRow?) {
        if work.kind == .delete {
            backing.state = .gone
            backing.values = []
            return
        }
        if backing.state == .inserted {
            context.rekey(backing, to: work.key)
            backing.state = .persistent
        }
        backing.values = []
        if let row { backing.row = row }
        backing.isStale = row == nil
        backing.isShown = false
        if work.losesElements {
            for i in backing.toManys.indices { backing.toManys[i].elements = nil }
        }
        if work.isByRule { context.notify(backing) }
    }

    func keep(_ row: StoredRow) { rows.append(row) }
}
