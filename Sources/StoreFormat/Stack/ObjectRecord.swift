/// An object as plain values: what a stack read, for dumps, comparisons and control clients.
public struct ObjectRecord: Sendable, Hashable {
    /// The object's identity.
    public var reference: ObjectReference
    /// `Z_OPT`: 1 for a new object, and 1 more with each save that changes it.
    public var version: Int64
    /// Every persistent attribute, inherited ones included; nil where there is no value.
    public var values: [String: AttributeValue?]
    /// Every persistent relationship, inherited ones included.
    public var relationships: [String: RelationshipValue]

    /// A record.
    public init(
        reference: ObjectReference, version: Int64, values: [String: AttributeValue?],
        relationships: [String: RelationshipValue]
    ) {
        self.reference = reference
        self.version = version
        self.values = values
        self.relationships = relationships
    }
}

/// What a relationship holds.
public enum RelationshipValue: Sendable, Hashable {
    /// Nil also where the key leads to no row.
    case toOne(ObjectReference?)
    /// By key; an ordered relationship by its order, then by key.
    case toMany([ObjectReference])
}
