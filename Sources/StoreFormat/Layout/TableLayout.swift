import StoreModel

/// One attribute's place in a table: the attribute itself, or a leaf of a composite.
public struct LeafLayout: Sendable, Hashable {
    /// The leaf's name inside a composite; the attribute's own name otherwise.
    public let name: String
    /// `Entity.attribute` or `Entity.attribute.leaf`, for messages.
    public let path: String
    /// What the column holds.
    public let type: AttributeType
    /// Whether large values lie in files beside the store.
    public let isExternal: Bool
    /// The index into `EntityLayout.columns`; nil where the table has no such column, which then reads as NULL.
    public let column: Int?
}

/// A persistent attribute of an entity and where its values are.
public struct AttributeLayout: Sendable, Hashable {
    /// The attribute's name.
    public let name: String
    /// The attribute in the model.
    public let description: AttributeDescription
    /// One leaf, or the leaves of a composite in declared order.
    public let leaves: [LeafLayout]

    /// Whether the value is made of leaves.
    public var isComposite: Bool { description.isComposite }
    /// The only leaf of an attribute that is not composite.
    public var leaf: LeafLayout? { isComposite ? nil : leaves.first }
}

/// A persistent relationship of an entity and where its values are.
public struct RelationshipLayout: Sendable, Hashable {
    /// The relationship's name.
    public let name: String
    /// The relationship in the model.
    public let description: RelationshipDescription
    /// The entity that declares the relationship.
    public let declaringEntity: String
    /// Where its keys are.
    public let storage: Storage

    /// Where a relationship's keys are.
    public enum Storage: Sendable, Hashable {
        /// A key column in the object's own row.
        case toOne(ForeignKey)
        /// The destination's rows hold this object's key in the inverse to-one.
        case toManyByInverse(DestinationKey)
        /// The destination's rows hold this object's key in a column of this relationship's own: there is no inverse.
        case toManyWithoutInverse(DestinationKey)
        case manyToMany(JoinTable)
        /// The store has no place for it: reads as empty, cannot be written.
        case absent
    }

    /// The columns of a to-one, as indexes into `EntityLayout.columns`.
    public struct ForeignKey: Sendable, Hashable {
        /// The destination's key.
        public let column: Int
        /// The destination row's entity number, where the destination has subentities.
        public let entityColumn: Int?
        /// The order inside the inverse, where that is ordered.
        public let orderColumn: Int?
    }

    /// The columns in a destination's table that hold a to-many.
    public struct DestinationKey: Sendable, Hashable {
        /// The destination's table.
        public let table: String
        /// Holds this object's key.
        public let keyColumn: String
        /// Holds this object's entity number, where this side has subentities.
        public let entityColumn: String?
        /// The destination's place in this relationship, where it is ordered.
        public let orderColumn: String?
        /// The entity numbers of the destination's tree, which the rows must have.
        public let entityNumbers: [Int64]
        /// The destination's entity that declares the inverse, for its layout.
        public let inverseName: String?
    }

    /// A join table as seen from this side.
    public struct JoinTable: Sendable, Hashable {
        /// The join table.
        public let table: String
        /// Holds this object's key.
        public let ownColumn: String
        /// Holds the destination's key.
        public let otherColumn: String
        /// The destination's order in this relationship, where it is ordered.
        public let orderColumn: String?
        /// This object's order in the inverse, where that is ordered.
        public let inverseOrderColumn: String?
        /// The relationship is its own inverse: each pair has two rows, one each way.
        public let isReflexive: Bool
    }

    /// Whether it leads to any number of objects.
    public var isToMany: Bool { description.isToMany }
    /// Whether its objects have an order.
    public var isOrdered: Bool { description.isOrdered }
}

/// An entity and where its objects are.
public struct EntityLayout: Sendable {
    /// The entity's name.
    public let name: String
    /// The entity's number in this store (`Z_ENT`).
    public let number: Int64
    /// The parent entity; nil for a root.
    public let superentityName: String?
    /// The entity that names the table.
    public let rootName: String
    /// Its number, whose row in the catalogue counts the keys.
    public let rootNumber: Int64
    /// Whether objects are only ever of a subentity.
    public let isAbstract: Bool
    /// The table, which the whole inheritance tree shares.
    public let table: String
    /// The columns beyond Z_PK, Z_ENT and Z_OPT that this entity's objects use, in the table's order.
    public let columns: [String]
    /// Own and inherited persistent attributes, by name.
    public let attributes: [AttributeLayout]
    /// Own and inherited persistent relationships, by name.
    public let relationships: [RelationshipLayout]
    /// The numbers of the entity and of everything that inherits from it.
    public let treeNumbers: [Int64]
    /// The names that go with `treeNumbers`.
    public let treeNames: [String]
    /// The slots of the entity's changes in history.
    public let bitmap: ChangeBitmap
    /// Columns of the table that belong to to-many relationships of other entities without an inverse, by
    /// `Entity.relationship`: indexes into `columns`, the order column's where there is one.
    public let foreignKeysWithoutInverse: [String: RelationshipLayout.ForeignKey]
    /// The attributes that a deletion keeps in its history, in the order of the tombstone columns.
    public let tombstoneAttributes: [AttributeLayout]
    /// Constraints of the entity and its ancestors: the columns (indexes) and property names of each.
    public let uniquenessConstraints: [UniquenessLayout]

    let attributeIndex: [String: Int]
    let relationshipIndex: [String: Int]

    /// Properties whose values are unique together.
    public struct UniquenessLayout: Sendable, Hashable {
        /// The properties in declared order.
        public let properties: [String]
        /// Their columns, by index into `EntityLayout.columns`.
        public let columns: [Int]
    }

    /// The attribute of that name, own or inherited.
    public func attribute(_ name: String) -> AttributeLayout? { attributeIndex[name].map { attributes[$0] } }
    /// The relationship of that name, own or inherited.
    public func relationship(_ name: String) -> RelationshipLayout? {
        relationshipIndex[name].map { relationships[$0] }
    }
}
