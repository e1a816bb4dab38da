/// What a save does with an object whose row somebody else changed since it was read.
public final class NSMergePolicy: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case error
        case storeTrump
        case objectTrump
        case overwrite
        case rollback
    }

    let kind: Kind

    private init(_ kind: Kind) {
        self.kind = kind
    }

    /// The save is refused.
    public static let error = NSMergePolicy(.error)
    /// Property by property: what the store changed stays, the rest of what the context changed is written.
    public static let mergeByPropertyStoreTrump = NSMergePolicy(.storeTrump)
    /// Property by property: what the context changed is written, the rest of what the store changed stays.
    public static let mergeByPropertyObjectTrump = NSMergePolicy(.objectTrump)
    /// The object is written whole, as the context has it.
    public static let overwrite = NSMergePolicy(.overwrite)
    /// The context's changes of the object are given up.
    public static let rollback = NSMergePolicy(.rollback)

    /// Whether both do the same with a conflict.
    public static func == (a: NSMergePolicy, b: NSMergePolicy) -> Bool { a.kind == b.kind }
    /// Hashes what the policy does.
    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}

/// The save is refused.
public let NSErrorMergePolicy = NSMergePolicy.error
/// What the store changed stays.
public let NSMergeByPropertyStoreTrumpMergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
/// What the context changed is written.
public let NSMergeByPropertyObjectTrumpMergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
/// The object is written whole.
public let NSOverwriteMergePolicy = NSMergePolicy.overwrite
/// The context's changes are given up.
public let NSRollbackMergePolicy = NSMergePolicy.rollback
