import SQLite
import StoreFormat

/// A row as it was read: the values of an object's slots, behind one another in one allocation.
///
/// The cache and every object that shows the row share it.
final class StoredRow: ManagedBuffer<StoredRow.Header, SQLValue>, @unchecked Sendable {
    // Safe to share: filled by the function that makes it and never written again.
    struct Header {
        let plan: EntityPlan
        let key: Int64
        let version: Int64
        let count: Int
    }

    deinit {
        _ = withUnsafeMutablePointers { header, elements in
            elements.deinitialize(count: header.pointee.count)
        }
    }

    var plan: EntityPlan { header.plan }
    var key: Int64 { header.key }
    var version: Int64 { header.version }

    subscript(slot: Int) -> SQLValue {
        withUnsafeMutablePointerToElements { $0[slot] }
    }

    /// All values, in the order of the slots.
    var values: ContiguousArray<SQLValue> {
        withUnsafeMutablePointers { header, elements in
            ContiguousArray(UnsafeBufferPointer(start: elements, count: header.pointee.count))
        }
    }

    private static func make(_ header: Header, _ fill: (UnsafeMutablePointer<SQLValue>) -> Void) -> StoredRow {
        let made = StoredRow.create(minimumCapacity: header.count) { _ in header }
        made.withUnsafeMutablePointerToElements(fill)
        return unsafeDowncast(made, to: StoredRow.self)
    }

    /// The row that a statement of that selection stands on; nil if its entity is not the selection's.
    static func read(_ statement: Statement, _ select: SelectPlan) -> StoredRow? {
        let number = statement.integer(1)
        guard let map = select.only ?? select.maps[number], map.plan.layout.number == number else { return nil }
        let header = Header(
            plan: map.plan, key: statement.integer(0), version: statement.integer(2), count: map.slots.count)
        return make(header) { elements in
            for (i, column) in map.slots.enumerated() {
                (elements + i).initialize(to: column < 0 ? .null : statement.value(Int(column)))
            }
        }
    }

    /// A row with these values, as a save wrote it.
    static func make(_ plan: EntityPlan, key: Int64, version: Int64, values: ContiguousArray<SQLValue>) -> StoredRow {
        make(Header(plan: plan, key: key, version: version, count: values.count)) { elements in
            for (i, value) in values.enumerated() { (elements + i).initialize(to: value) }
        }
    }
}
