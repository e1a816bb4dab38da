/// One opened stack, as the bridge knows it: a name, a position in history, and the ways in and out.
///
/// Each stack implements it over its own mapping, cache and connections. All calls are synchronous and may come from any
/// thread; an implementation puts them in order itself.
public protocol StackInstance: AnyObject, Sendable {
    /// Which stack this is.
    var stack: StackName { get }
    /// The random name that `COEXIST_TRANSACTION` records for this instance's saves.
    var instanceName: String { get }
    /// The store, as this stack opened it.
    var store: Store { get }

    /// The number of the last history transaction that the caches reflect.
    var position: Int64 { get }
    /// Applies history, in order: drops or refreshes cached rows, marks deleted, refreshes registered clean objects,
    /// leaves dirty ones to the version test, tells live queries. Transactions at or below `position`, and those that
    /// this instance committed, change nothing but the position. Of a transaction that names entities in place of changes,
    /// all rows of their trees are dropped, in one step.
    /// - Parameter readsEpochs: whether the ownership epochs are read anew too. A commit of the same process changes none.
    func apply(_ transactions: [HistoryTransaction], readsEpochs: Bool) throws
    /// Drops what is cached of these entities, or all, and takes `position` as the new position where given.
    func dropCaches(of entities: Set<String>?, position: Int64?)
    /// What the cache did so far.
    var cacheStatistics: CacheStatistics { get }

    /// The objects that a query finds, from the database as last committed.
    func objects(matching query: ObjectQuery) throws -> [ObjectRecord]
    /// The identities of the objects that a query finds, in its order, as last committed: for reading many objects a few at
    /// a time.
    func references(matching query: ObjectQuery) throws -> [ObjectReference]
    /// The objects of these identities, in that order, as last committed and in one snapshot. Those that are gone are left
    /// out.
    func objects(_ references: ArraySlice<ObjectReference>) throws -> [ObjectRecord]
    /// How many objects a query finds; limit and offset count.
    func count(of query: ObjectQuery) throws -> Int
    /// One object: from the cache, or with `isFresh` as last committed. Nil where there is none.
    func object(_ reference: ObjectReference, isFresh: Bool) throws -> ObjectRecord?
    /// Every object of exactly this entity, by key, one at a time, in one snapshot.
    func forEachObject(of entity: String, _ body: (ObjectRecord) throws -> Void) throws
    /// The objects of exactly this entity whose keys lie above `after` and not above `last`, by key, in one snapshot and
    /// past the cache, until the body returns false.
    func forEachObject(
        of entity: String, after key: Int64, through last: Int64, _ body: (ObjectRecord) throws -> Bool) throws
    /// Saves the batch in one transaction through a context of this stack.
    /// - Throws: `StoreError`; then nothing at all is written.
    func save(_ batch: ObjectBatch) throws -> SaveResult

    /// In whose name this instance saves just now.
    var authority: SaveAuthority { get }
    /// Where what this instance's deletes do to the other stack's rows goes; nil refuses such deletes.
    /// `forwardDeletes(to:)` sets it.
    func setDeleteForwarding(_ forwarding: DeleteForwarding?)

    /// Called after each commit of this instance, on the saving thread.
    func setCommitHandler(_ handler: (@Sendable (CommitNotice) -> Void)?)
    /// Waits for what is running and closes the connections. Later calls throw.
    func close()
}

/// A commit, as told to the bridge.
public struct CommitNotice: Sendable, Hashable {
    /// The stack that committed.
    public var stack: StackName
    /// The instance that committed.
    public var instanceName: String
    /// The history transaction's number.
    public var transaction: Int64
    /// The history transaction that the same commit wrote in the other stack's name, for a delete that was forwarded.
    public var forwarded: Int64?
    /// The transaction itself, without tombstones, so that nobody in the process has to read it; nil where it is large, or
    /// not all that the commit wrote.
    public var history: HistoryTransaction?

    /// The last history transaction that the commit wrote.
    public var last: Int64 { max(transaction, forwarded ?? 0) }

    /// A notice.
    public init(
        stack: StackName, instanceName: String, transaction: Int64, forwarded: Int64? = nil,
        history: HistoryTransaction? = nil
    ) {
        self.history = history
        self.stack = stack
        self.instanceName = instanceName
        self.transaction = transaction
        self.forwarded = forwarded
    }
}

/// Counters of a stack's row cache.
public struct CacheStatistics: Sendable, Hashable {
    /// Rows in the cache now.
    public var objects = 0
    /// Reads that the cache answered.
    public var hits = 0
    /// Reads that went to the file.
    public var misses = 0
    /// Rows that replay dropped.
    public var invalidations = 0
    /// Reads from the cache of a row that a newer commit had already changed.
    public var stale = 0

    /// Counters at zero.
    public init() {}
}
