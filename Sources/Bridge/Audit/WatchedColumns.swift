import SQLite
import StoreFormat

/// The columns of an entity that change only with a mark in history. What the store's triggers write, entity numbers beside keys,
/// order keys and keys of relationships that the other end declares have none.
struct WatchedColumns {
    private struct Watched {
        /// The column of the result.
        let column: Int
        let name: String
        let property: String
        let slots: [Int]
    }

    private let entity: EntityLayout
    private let columns: [Watched]

    /// - Parameter list: the columns that both statements give behind key, entity and version.
    init(_ entity: EntityLayout, _ list: [String], _ triggers: TriggerWrites) {
        self.entity = entity
        let place = Dictionary(list.enumerated().map { ($1, $0 + 3) }, uniquingKeysWith: { first, _ in first })
        var columns: [Watched] = []
        func watch(_ column: Int?, _ property: String) {
            guard let column, !triggers.isWritten(entity.columns[column], of: entity.table),
                let place = place[entity.columns[column]], let slots = entity.bitmap.slots[property]
            else { return }
            columns.append(Watched(column: place, name: entity.columns[column], property: property, slots: slots))
        }
        for attribute in entity.attributes where !attribute.description.isDerived {
            for leaf in attribute.leaves { watch(leaf.column, attribute.name) }
        }
        for relationship in entity.relationships {
            if case .toOne(let key) = relationship.storage { watch(key.column, relationship.name) }
        }
        self.columns = columns
    }

    /// Compares a row of the backup with the same object's row now.
    func compare(_ old: Statement, _ new: Statement, _ story: ObjectStory, _ report: (String, String) -> Void) {
        let object = story.name(entity.number)
        if !story.isChanged, old.integer(2) != new.integer(2) {
            report(
                object,
                "its version is \(new.integer(2)), in the backup it is \(old.integer(2)), and history has no change of it"
            )
        }
        for watched in columns {
            guard !watched.slots.contains(where: { Self.isSet($0, in: story.marks) }) else { continue }
            let (a, b) = (old.value(watched.column), new.value(watched.column))
            if !Self.isSame(a, b) {
                report(
                    "\(object).\(watched.property)",
                    "\(watched.name) differs from the backup, and no change marks \(watched.property)")
            }
        }
    }

    private static func isSet(_ slot: Int, in bits: [UInt8]) -> Bool {
        slot >> 3 < bits.count && bits[slot >> 3] & (0x80 >> UInt8(slot & 7)) != 0
    }

    /// A whole number may stand as an integer or as a real.
    private static func isSame(_ a: SQLValue, _ b: SQLValue) -> Bool {
        switch (a, b) {
        case (.integer(let x), .real(let y)), (.real(let y), .integer(let x)): Double(x) == y
        default: a == b
        }
    }
}
