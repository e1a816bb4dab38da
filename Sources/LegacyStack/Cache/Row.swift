import SQLite
import StoreFormat

/// One row as it was read: a value for each of its entity's columns, as SQLite gave it. Decoded only when somebody asks.
///
/// Shared between the row cache and every object that shows it; never changed.
final class Row: Sendable {
    /// The concrete entity, as an index into `Schema.entities`.
    let entity: Int
    /// Z_OPT.
    let version: Int64
    /// By index into `EntityLayout.columns`.
    let values: [SQLValue]

    init(entity: Int, version: Int64, values: [SQLValue]) {
        self.entity = entity
        self.version = version
        self.values = values
    }

    /// Whether both are of one entity and equal in every column, whatever their versions are.
    func hasSameValues(as other: Row) -> Bool {
        entity == other.entity && values.count == other.values.count
            && zip(values, other.values).allSatisfy { $0.isSame(as: $1) }
    }

    func value(_ leaf: LeafLayout) -> SQLValue {
        leaf.column.map { values[$0] } ?? .null
    }

    func attribute(_ attribute: SchemaAttribute, _ external: ExternalData) -> AttributeValue? {
        if let leaf = attribute.leaf { return ValueCoding.decode(value(leaf), as: leaf, external: external) }
        return self.attribute(attribute.layout, external)
    }

    /// The attribute's value; a composite without any leaf that has one is nil.
    func attribute(_ attribute: AttributeLayout, _ external: ExternalData) -> AttributeValue? {
        if let leaf = attribute.leaf { return ValueCoding.decode(value(leaf), as: leaf, external: external) }
        var leaves: [String: AttributeValue] = [:]
        for leaf in attribute.leaves {
            if let value = ValueCoding.decode(value(leaf), as: leaf, external: external) { leaves[leaf.name] = value }
        }
        return leaves.isEmpty ? nil : .composite(leaves)
    }
}
