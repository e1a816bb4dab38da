import SQLite
import StoreFormat

/// Whether each transaction of ours wrote only what its stack owned then, at the epoch that it notes.
struct WriterAudit {
    private let connection: Connection
    private let store: Store
    private let timeline: OwnershipTimeline
    private let kinds: [Int64: EntityKind]

    /// What an update's bitmap says of an entity.
    private struct EntityKind {
        let layout: EntityLayout
        let unit: String?
        /// The slots whose columns stand in the object's own row: with one of them set, the row was written.
        let ownSlots: [UInt8]
        /// The many-to-manys: their slot, the unit that owns the pairs, and the tree at the other end.
        let joins: [(slot: Int, unit: String, destination: String, name: String)]
    }

    init(_ connection: Connection, store: Store, timeline: OwnershipTimeline) {
        self.connection = connection
        self.store = store
        self.timeline = timeline
        var kinds: [Int64: EntityKind] = [:]
        for layout in store.layout.entities {
            let own = layout.attributes.map(\.name) + layout.relationships.filter { !$0.isToMany }.map(\.name)
            let joins = layout.relationships.compactMap { relationship -> (Int, String, String, String)? in
                guard case .manyToMany(let join) = relationship.storage,
                    let unit = timeline.unit(ofJoinTable: join.table),
                    let slot = layout.bitmap.slots[relationship.name]?.first,
                    let destination = store.layout[relationship.description.destinationEntityName]?.rootName
                else { return nil }
                return (slot, unit, destination, relationship.name)
            }
            kinds[layout.number] = EntityKind(
                layout: layout, unit: timeline.unit(ofEntity: layout.name), ownSlots: layout.bitmap.encode(own),
                joins: joins)
        }
        self.kinds = kinds
    }

    /// What a transaction of ours says of itself, and what its changes did.
    private struct Transaction {
        let number: Int64
        let stack: StackName
        /// The epochs it notes, by unit.
        let noted: [String: Int64]
        /// The first object that it wrote of each unit, how, and how many.
        var written: [String: (object: ObjectReference, kind: HistoryChange.Kind, count: Int)] = [:]
        /// The trees of objects that it deleted.
        var deleted: Set<String> = []
        /// The first change of pairs in each join table that the stack does not own, by the tree at the other end.
        var pairs: [String: (object: ObjectReference, name: String, unit: String)] = [:]
    }

    func run(_ report: inout AuditReport, progress: () -> Void) throws {
        let transactions = try connection.prepare(
            """
            SELECT t.Z_PK, t.ZTIMESTAMP, w.STACK, w.EPOCHS, w.CAUSE FROM ATRANSACTION t
            LEFT JOIN COEXIST_TRANSACTION w ON w.NUMBER = t.Z_PK WHERE t.Z_PK > ? ORDER BY t.Z_PK
            """)
        transactions.bind(report.start, at: 1)
        // What the owner's part of a forwarded delete deleted, by the transaction that caused it, which comes next.
        var parts: [Int64: Set<String>] = [:]
        while try transactions.step() {
            report.transactions += 1
            progress()
            guard let name = transactions.text(2) else {
                try foreign(transactions.integer(0), transactions.double(1), &report)
                continue
            }
            let number = transactions.integer(0)
            guard let stack = StackName(rawValue: name) else {
                report.add(.writer, "transaction \(number)", "written by \(name), which is no stack")
                continue
            }
            var transaction = Transaction(
                number: number, stack: stack, noted: noted(transactions.text(3) ?? "", number, &report))
            try read(&transaction, &report)
            if !transactions.isNull(4) {
                parts[transactions.integer(4), default: []].formUnion(transaction.deleted)
            } else if let deleted = parts.removeValue(forKey: number) {
                transaction.deleted.formUnion(deleted)
            }
            judge(transaction, &report)
        }
    }

    private func noted(_ text: String, _ number: Int64, _ report: inout AuditReport) -> [String: Int64] {
        var noted: [String: Int64] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=")
            guard parts.count == 2, let epoch = Int64(parts[1]) else {
                report.add(.epoch, "transaction \(number)", "notes \"\(line)\", which is no unit and epoch")
                continue
            }
            noted[String(parts[0])] = epoch
        }
        return noted
    }

    private func read(_ transaction: inout Transaction, _ report: inout AuditReport) throws {
        let changes = try connection.cached(
            "SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS FROM ACHANGE WHERE ZTRANSACTIONID = ? ORDER BY Z_PK")
        changes.bind(transaction.number, at: 1)
        defer { changes.reset() }
        while try changes.step() {
            report.changes += 1
            guard let kind = kinds[changes.integer(1)], let unit = kind.unit,
                let what = HistoryChange.Kind(rawValue: changes.integer(0))
            else { continue }
            let object = ObjectReference(entity: kind.layout.name, key: changes.integer(2))
            if what == .delete { transaction.deleted.insert(kind.layout.rootName) }
            let bits = what == .update ? changes.blob(3) ?? [] : []
            // The other end of a relationship is noted by whoever changes the relationship: that is no write of its row.
            if what != .update || zip(bits, kind.ownSlots).contains(where: { $0 & $1 != 0 }) {
                var entry = transaction.written[unit] ?? (object, what, 0)
                entry.count += 1
                transaction.written[unit] = entry
            }
            for join in kind.joins
            where join.slot >> 3 < bits.count && bits[join.slot >> 3] & (0x80 >> UInt8(join.slot & 7)) != 0
                && timeline.tenure(of: join.unit, at: transaction.number)?.owner != transaction.stack
                && transaction.pairs[join.destination] == nil
            {
                transaction.pairs[join.destination] = (object, join.name, join.unit)
            }
        }
    }

    private func judge(_ transaction: Transaction, _ report: inout AuditReport) {
        let number = transaction.number
        let place = "transaction \(number)"
        let stack = transaction.stack.rawValue
        var wrong: Set<String> = []
        for (unit, written) in transaction.written.sorted(by: { $0.key < $1.key }) {
            guard let tenure = timeline.tenure(of: unit, at: number) else { continue }
            let more = written.count > 1 ? ", with \(written.count - 1) more objects of its unit" : ""
            if tenure.owner != transaction.stack {
                wrong.insert(unit)
                report.add(
                    .writer, place,
                    "\(written.object) was \(Self.word(written.kind)) by the \(stack) stack\(more), but "
                        + "\(written.object.entity) was owned by the \(tenure.owner.rawValue) stack at epoch \(tenure.epoch)"
                )
            } else if transaction.noted[unit] == nil {
                report.add(
                    .epoch, place,
                    "\(written.object) was \(Self.word(written.kind))\(more), and no epoch of \(unit) is noted")
            }
        }
        for (unit, epoch) in transaction.noted.sorted(by: { $0.key < $1.key }) where !wrong.contains(unit) {
            guard let tenure = timeline.tenure(of: unit, at: number) else {
                if !timeline.isUnit(unit) {
                    report.add(.epoch, place, "notes an epoch of \(unit), which is no unit")
                }
                continue
            }
            if tenure.epoch != epoch {
                report.add(.epoch, place, "notes epoch \(epoch) of \(unit), which was at epoch \(tenure.epoch)")
            } else if tenure.owner != transaction.stack {
                report.add(
                    .writer, place,
                    "the \(stack) stack notes that it wrote \(unit), which the \(tenure.owner.rawValue) stack owned at epoch "
                        + "\(tenure.epoch)")
            }
        }
        // A delete may remove the pairs of its own object, whoever owns them.
        for (destination, pair) in transaction.pairs.sorted(by: { $0.key < $1.key })
        where !transaction.deleted.contains(destination) {
            guard let tenure = timeline.tenure(of: pair.unit, at: number) else { continue }
            report.add(
                .writer, place,
                "the pairs of \(pair.object)'s \(pair.name) were changed by the \(stack) stack, but they were owned by the "
                    + "\(tenure.owner.rawValue) stack at epoch \(tenure.epoch)")
        }
    }

    private static func word(_ kind: HistoryChange.Kind) -> String {
        switch kind {
        case .insert: "inserted"
        case .update: "updated"
        case .delete: "deleted"
        }
    }

    private func foreign(_ number: Int64, _ timestamp: Double, _ report: inout AuditReport) throws {
        let rows = try connection.query(
            "SELECT ZENTITY, count(*) FROM ACHANGE WHERE ZTRANSACTIONID = ? GROUP BY ZENTITY", [.integer(number)])
        let origin = try HistoryReader(connection, store: store).origin(of: number)
        // A transaction that says so and changes objects all the same is a stranger's.
        if rows.isEmpty, origin.isMigration {
            report.migrations.append(
                .init(
                    number: number, timestamp: timestamp, program: origin.program, digestBefore: origin.digestBefore))
            return
        }
        report.changes += rows.reduce(0) { $0 + Int($1[1].integerValue ?? 0) }
        report.foreignCount += 1
        guard report.foreign.count < AuditReport.limit else { return }
        let entities = rows.compactMap { $0[0].integerValue.flatMap { kinds[$0]?.layout.name } }.sorted()
        report.foreign.append(
            .init(number: number, timestamp: timestamp, program: origin.program, entities: entities))
    }
}
