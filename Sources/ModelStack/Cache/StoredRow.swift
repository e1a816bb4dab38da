import SQLite
import StoreFormat

/// A row as it was read: the values of an object's slots, behind one another.
///
/// The cache and every object that shows the row share it.
final class StoredRow: @unchecked Sendable {
    // Safe to share: `elements` is filled by the initializers and never written again.
    let plan: EntityPlan
    let key: Int64
    let version: Int64
    private let elements: UnsafeMutablePointer<SQLValue>
    private let count: Int

    private init(_ plan: EntityPlan, _ key: Int64, _ version: Int64, _ count: Int) {
        self.plan = plan
        self.key = key
        self.version = version
        self.count = count
        elements = .allocate(capacity: count)
    }

    deinit {
        elements.deinitialize(count: count)
        elements.deallocate()
    }

    subscript(slot: Int) -> SQLValue {
        slot < count ? elements[slot] : .null
    }

    /// All values, in the order of the slots.
    var values: ContiguousArray<SQLValue> {
        ContiguousArray(UnsafeBufferPointer(start: elements, count: count))
    }

    /// Whether both are of one entity and equal in every column, whatever their versions are.
    func hasSameValues(as other: StoredRow) -> Bool {
        plan === other.plan && count == other.count && (0..<count).allSatisfy { self[$0].isSame(as: other[$0]) }
    }

    /// The row that a statement of that selection stands on; nil if its entity is not the selection's.
    static func read(_ statement: Statement, _ select: SelectPlan) -> StoredRow? {
        let number = statement.integer(1)
        guard let map = select.only ?? select.maps[number], map.number == number else { return nil }
        let row = StoredRow(map.plan, statement.integer(0), statement.integer(2), map.slots.count)
        for (i, column) in map.slots.enumerated() {
            (row.elements + i).initialize(to: column < 0 ? .null : statement.value(Int(column)))
        }
        return row
    }

    /// A row with these values, as a save wrote it.
    static func make(_ plan: EntityPlan, key: Int64, version: Int64, values: ContiguousArray<SQLValue>) -> StoredRow {
        let row = StoredRow(plan, key, version, values.count)
        for (i, value) in values.enumerated() { (row.elements + i).initialize(to: value) }
        return row
    }
}
