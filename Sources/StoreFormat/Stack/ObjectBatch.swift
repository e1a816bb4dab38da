/// Changes to save as one transaction, as a control client gives them.
public struct ObjectBatch: Sendable, Hashable {
    /// What to do, in order.
    public var operations: [Operation]
    /// `transactionAuthor` of the history transaction.
    public var author: String?
    /// The context's name in the history transaction.
    public var contextName: String?

    /// The way out of a conflict, for who sent the batch.
    package static let conflictWay = "read it again, and send the change anew"

    /// A batch.
    public init(_ operations: [Operation], author: String? = nil, contextName: String? = nil) {
        self.operations = operations
        self.author = author
        self.contextName = contextName
    }

    /// An object that exists, or one that this batch inserts under a temporary name.
    public enum Target: Sendable, Hashable {
        case existing(ObjectReference)
        case new(String)
    }

    /// A value for a property.
    public enum Input: Sendable, Hashable {
        /// A composite's value replaces it whole.
        case attribute(AttributeValue?)
        /// Sets these elements of a composite; nil clears one, and those that are not named stay.
        case elements([String: AttributeValue?])
        case toOne(Target?)
        /// Replaces the whole set, or sequence where it is ordered.
        case toMany([Target])
    }

    /// One change.
    public enum Operation: Sendable, Hashable {
        /// A new object; the temporary name is the batch's own.
        case insert(entity: String, name: String, values: [String: Input])
        /// Sets the properties; `expecting` is the version that the client read.
        case update(ObjectReference, values: [String: Input], expecting: Int64?)
        case delete(ObjectReference, expecting: Int64?)
    }
}

/// What a saved batch gave.
public struct SaveResult: Sendable, Hashable {
    /// The history transaction's number; nil if nothing had to be written.
    public var transaction: Int64?
    /// The new objects by their temporary names.
    public var objects: [String: ObjectReference]

    /// A result.
    public init(transaction: Int64?, objects: [String: ObjectReference] = [:]) {
        self.transaction = transaction
        self.objects = objects
    }
}
