import SQLite
import StoreFormat

/// What a save does to one existing row.
final class RowChange {
    let entity: SchemaEntity
    let key: Int64
    /// The object that changed; nil where only a neighbour's order or key reaches the row.
    let object: NSManagedObject?
    /// By index into the layout's columns.
    var columns: [Int: SQLValue] = [:]
    /// The properties that history marks.
    var names: Set<String> = []
    /// Whether delete rules alone change the row.
    var isByRule = true

    init(entity: SchemaEntity, key: Int64, object: NSManagedObject?) {
        self.entity = entity
        self.key = key
        self.object = object
    }

    var rowKey: RowKey { RowKey(root: entity.rootIndex, key: key) }
    var reference: ObjectReference { ObjectReference(entity: entity.name, key: key) }
    var written: SaveTransaction.WrittenRow { (entity.layout, key) }
    /// In column order, so that equal sets of columns make equal statements.
    var sortedColumns: [(index: Int, value: SQLValue)] {
        columns.sorted { $0.key < $1.key }.map { (index: $0.key, value: $0.value) }
    }
}

/// A new row.
struct RowInsert {
    let object: NSManagedObject
    let key: Int64
    var values: [SQLValue]
}

/// A pair of a many-to-many that comes or goes.
struct JoinChange {
    let join: RelationshipLayout.JoinTable
    let own: Int64
    let other: Int64
    let isInsertion: Bool
    var order: Int64?
    var inverseOrder: Int64?
    let relationship: String
    let object: ObjectReference
}

/// Rows that still lead to objects that a save deletes; the rules have to be applied to them, and the save tried again.
struct DanglingRows: Error {
    var owners: Set<RowKey>
}

extension NSManagedObject {
    var written: SaveTransaction.WrittenRow { (info.layout, id.key) }
}
