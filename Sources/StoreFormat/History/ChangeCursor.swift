import SQLite

/// Reads the changes of one transaction after another, in one pass over the index of transactions.
///
/// Histories repeat themselves: what a bitmap says, and which entity a number is, is looked up once for runs of equal ones.
final class ChangeCursor {
    private let statement: Statement
    private let store: Store
    private let tombstones: Int
    private var place = Place.taken
    private var entities: [Int64: KnownEntity] = [:]
    private var last: KnownEntity?

    private enum Place {
        /// The row that the statement stands on has been taken, or none has been read.
        case taken
        /// The statement stands on a change that nobody has taken.
        case waiting
        /// A statement that has ended would begin anew if it were stepped.
        case ended
    }

    /// What cannot be read of the changes that were asked for last; nil where all can.
    private(set) var unreadable: String?

    /// A number in the catalogue, with what its last bitmap said. An object, for a layout is large to copy.
    private final class KnownEntity {
        let number: Int64
        let layout: EntityLayout?
        let isKnown: Bool
        /// Of changes that say nothing but whose they are.
        let bare: HistoryChange.Details
        /// The bytes of a bitmap that say anything.
        let bitmapSize: Int
        var bytes: [UInt8] = []
        /// What the bytes mark.
        var marked: HistoryChange.Details

        init(_ number: Int64, _ layout: EntityLayout?) {
            self.number = number
            self.layout = layout
            isKnown = layout != nil
            bare = HistoryChange.Details(entity: layout?.name ?? "")
            bitmapSize = ((layout?.bitmap.slotCount ?? 0) + 7) / 8
            marked = bare
        }
    }

    /// Stands before the changes of the transactions after that number.
    init(_ connection: Connection, store: Store, form: HistoryForm, after number: Int64) throws {
        self.store = store
        if case .interned(let count) = form { tombstones = count } else { tombstones = 0 }
        let extra = (0..<tombstones).map { ", ZTOMBSTONE\($0)" }.joined()
        statement = try connection.cached(
            """
            SELECT ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS\(extra) FROM ACHANGE
            WHERE ZTRANSACTIONID > ? ORDER BY ZTRANSACTIONID, Z_PK
            """)
        statement.bind([.integer(number)])
    }

    /// Lets go of the rows.
    func end() {
        statement.reset()
        place = .ended
    }

    /// The changes of the transaction, in the order in which they were written; to be asked for in rising order.
    ///
    /// Changes that no transaction owns are passed over, and so are those that cannot be read: `unreadable` says so.
    /// - Returns: nil where there are more than the limit. Nothing may be asked for after that.
    func changes(of transaction: Int64, limit: Int) throws -> [HistoryChange]? {
        var changes: [HistoryChange] = []
        unreadable = nil
        while try advance() {
            let number = statement.integer(0)
            guard number <= transaction else { break }
            place = .taken
            guard number == transaction else { continue }
            guard let change = change() else {
                unreadable = unreadable ?? trouble
                continue
            }
            guard changes.count < limit else { return nil }
            changes.append(change)
        }
        return changes
    }

    private func advance() throws -> Bool {
        if place == .taken { place = try statement.step() ? .waiting : .ended }
        return place == .waiting
    }

    /// What cannot be read of the row that the statement stands on.
    private var trouble: String {
        if !statement.isInteger(2) || !entity(statement.integer(2)).isKnown {
            return "no entity has the number \(shown(2))"
        }
        if !statement.isInteger(3) { return "the key of a changed object is \(shown(3))" }
        return "\(shown(1)) is no kind of change"
    }

    private func shown(_ column: Int) -> String { statement.text(column) ?? "NULL" }

    private func change() -> HistoryChange? {
        guard statement.isInteger(2), statement.isInteger(1), statement.isInteger(3),
            let kind = HistoryChange.Kind(rawValue: statement.integer(1))
        else { return nil }
        let entity = entity(statement.integer(2))
        guard entity.isKnown else { return nil }
        let details =
            switch kind {
            case .insert: entity.bare
            case .update: marked(entity)
            case .delete: kept(entity)
            }
        return HistoryChange(kind: kind, key: statement.integer(3), details: details)
    }

    private func entity(_ number: Int64) -> KnownEntity {
        if let last, last.number == number { return last }
        let entity = entities[number] ?? KnownEntity(number, store.layout[number: number])
        entities[number] = entity
        last = entity
        return entity
    }

    private func marked(_ entity: KnownEntity) -> HistoryChange.Details {
        statement.withBlob(4) { all in
            // What lies beyond the slots says nothing.
            let bits = UnsafeRawBufferPointer(rebasing: all.prefix(entity.bitmapSize))
            if !entity.bytes.elementsEqual(bits) {
                entity.bytes = Array(bits)
                let names = entity.layout?.bitmap.decode(entity.bytes) ?? []
                entity.marked =
                    names.isEmpty
                    ? entity.bare : HistoryChange.Details(entity: entity.bare.entity, properties: names)
            }
            return entity.marked
        }
    }

    private func kept(_ entity: KnownEntity) -> HistoryChange.Details {
        var values: [String: AttributeValue] = [:]
        for (i, attribute) in (entity.layout?.tombstoneAttributes ?? []).enumerated() where i < tombstones {
            guard let leaf = attribute.leaf,
                let value = ValueCoding.decode(statement.value(5 + i), as: leaf, external: store.externalData)
            else { continue }
            values[attribute.name] = value
        }
        return values.isEmpty ? entity.bare : HistoryChange.Details(entity: entity.bare.entity, tombstone: values)
    }
}
