import Foundation
import SQLite
import StoreFormat
import StoreModel
import Synchronization

/// The model stack on one opened store: its connections, its row cache, its place in history.
///
/// A `ModelContainer` sits on one; the daemon uses one without any classes, through the store's own model:
///
/// ```swift
/// let instance = try ModelInstance(path: "/data/Trips.store")
/// let trips = try instance.objects(matching: ObjectQuery(entity: "Trip"))
/// ```
public final class ModelInstance: StackInstance {
    /// The model stack.
    public let stack = StackName.model
    /// A random name, under which the register records this instance's saves.
    public let instanceName = UUID().uuidString
    /// The store that the instance is on.
    public let store: Store
    /// How the instance was opened.
    public let options: Options

    /// Why nothing can be saved; nil where something can.
    public let readOnlyReason: String?

    let plan: StorePlan
    let cache: RowCache
    let readers: ConnectionPool
    let writer: WriterLane?

    /// Why the log could not be moved into the store after a save, such as a full disk: it grows until that can be done.
    /// Nil where it could, and in a daemon, which moves it itself.
    public var logProblem: StoreError? { writer?.logProblem }

    let state: Mutex<State>
    let contexts = ContextRegister()

    /// What changes while the instance is open.
    struct State {
        var position: Int64
        var epochs: [String: Int64]
        var commitHandler: (@Sendable (CommitNotice) -> Void)?
        var forwarding: DeleteForwarding?
        var isClosed = false
        /// Whether another file was found in the store's place.
        var isLost = false
    }

    /// How to open a store.
    public struct Options: Sendable, Hashable {
        /// Reads only; the file and its folder stay exactly as they are.
        public var isReadOnly = false
        /// Whether saves write history. A tracked store that is opened without gets read-only.
        public var isTracking = true
        /// How far a commit has got when a save returns.
        public var durability = StoreConnector.Durability.full
        /// Rows that the cache holds at most.
        public var cacheLimit = 200_000
        /// Connections that read beside one another.
        public var readerCount = 4
        /// How long a read may keep the log from being moved into the store; nil for as long as it likes. Older ones are
        /// ended with `ReaderExpired` when somebody commits.
        public var readerAge: ReaderAge?
        /// How long a save waits for the write lock, in milliseconds.
        public var busyTimeout = 10_000
        /// Above this size of the WAL a save is followed by a checkpoint; nil leaves checkpoints to somebody else.
        public var maximumLogBytes: Int? = 64 << 20

        /// The defaults: reading and writing, with history.
        public init() {}

        /// Options for reading a store that may have no daemon, leaving nothing behind.
        public static var readOnly: Options {
            var options = Options()
            options.isReadOnly = true
            return options
        }
    }

    /// Opens a store.
    /// - Parameters:
    ///   - model: the model to read it by; nil takes the store's own model cache.
    ///   - source: what to call the given model in messages.
    /// - Throws: `StoreError`; see `Store.open`.
    public convenience init(
        path: String, model: ModelDescription? = nil, source: String = "the given model", options: Options = Options()
    ) throws {
        try self.init(store: Store.open(path, model: model, source: source), options: options)
    }

    /// Takes a store that is opened already.
    public convenience init(store: Store, options: Options = Options()) throws {
        try self.init(store: store, options: options, orders: [:])
    }

    /// - Parameter orders: the order of the properties of the entities that have classes.
    init(store: Store, options: Options, orders: [String: [String]]) throws {
        self.store = store
        self.options = options
        plan = StorePlan(store, orders: orders)
        cache = RowCache(rootCount: plan.rootCount, limit: options.cacheLimit)
        let path = store.path
        let isOffline = options.isReadOnly
        let readers = ConnectionPool(limit: options.readerCount, age: options.readerAge) {
            let connection = try isOffline ? StoreConnector.offlineReader(path) : StoreConnector.connect(path, .reader)
            try PredicateFunctions.register(on: connection)
            try TextFunctions.register(on: connection)
            return connection
        }
        self.readers = readers
        readOnlyReason =
            isOffline
            ? "\(path) was opened for reading only"
            : options.isTracking ? nil : try store.reasonAgainstUntracked()
        if readOnlyReason == nil { try StoreProbe.checkNames(path) }
        writer = readOnlyReason == nil ? try WriterLane(store, options) : nil
        let (position, epochs) = try StoreConnector.translating(path) {
            try readers.use { connection in
                try connection.transaction(.deferred) {
                    (
                        try HistoryReader(connection, store: store).last(),
                        // Who only reads holds no epochs, and reads where the register cannot be.
                        isOffline ? [:] : try OwnershipRegister.read(connection)?.epochs ?? [:]
                    )
                }
            }
        }
        state = Mutex(State(position: position, epochs: epochs))
    }

    /// The number of the last history transaction that the cache reflects.
    public var position: Int64 { state.withLock { $0.position } }
    /// What the row cache holds and did so far.
    public var cacheStatistics: CacheStatistics { cache.statistics }

    /// Sets what is called after each commit of this instance, on the saving thread; nil ends the calls.
    public func setCommitHandler(_ handler: (@Sendable (CommitNotice) -> Void)?) {
        state.withLock { $0.commitHandler = handler }
    }

    /// Where what deletes do to the legacy stack's rows goes; `forwardDeletes(to:)` sets it.
    public func setDeleteForwarding(_ forwarding: DeleteForwarding?) {
        state.withLock { $0.forwarding = forwarding }
    }

    /// Closes the connections. Later calls throw `StoreError`.
    public func close() {
        state.withLock { $0.isClosed = true }
        writer?.close()
        readers.close()
    }

    // MARK: Reading through connections

    /// Runs the body in one read snapshot; a single statement is one by itself.
    /// - Throws: `StoreError`.
    func read<T>(inSnapshot: Bool = true, _ body: (Connection) throws -> T) throws -> T {
        try checkPlace()
        do {
            return try StoreConnector.translating(store.path) {
                try readers.use { connection in
                    inSnapshot ? try connection.transaction(.deferred) { try body(connection) } : try body(connection)
                }
            }
        } catch is ConnectionPool.PoolClosed {
            throw StoreError(.refused, "\(store.path) has been closed", way: "open it again")
        }
    }

    /// Refuses to read on where another file took the store's place: what is cached is of the old one, and goes.
    /// - Throws: `StoreError` `StoreReplaced`.
    func checkPlace() throws {
        do {
            try store.checkPlace()
        } catch {
            let isFirst = state.withLock { state in
                defer { state.isLost = true }
                return !state.isLost
            }
            if isFirst { dropCaches(of: nil, position: nil) }
            throw error
        }
    }

    /// Runs a fetch's statement, row by row.
    static func forEachRow(_ fetch: FetchPlan, _ connection: Connection, _ body: (StoredRow) throws -> Void) throws {
        try connection.cached(fetch.rowsSQL).forEach(fetch.parameters) { statement in
            if let row = StoredRow.read(statement, fetch.select) { try body(row) }
        }
    }

    /// The rows of a fetch, as last committed; they go into the cache.
    func rows(_ fetch: FetchPlan) throws -> [StoredRow] {
        let generation = cache.generation
        var rows: [StoredRow] = []
        try read(inSnapshot: false) { connection in try Self.forEachRow(fetch, connection) { rows.append($0) } }
        cache.insert(rows, generation: generation)
        return rows
    }

    /// One row of the entity's tree: from the cache, or as last committed.
    func row(_ entity: EntityPlan, _ key: Int64, isFresh: Bool = false) throws -> StoredRow? {
        if !isFresh, let row = cache.row(entity.root, key) { return row }
        let generation = cache.generation
        guard let row = try read(inSnapshot: false, { try Self.row(entity, key, plan, $0) }) else { return nil }
        cache.insert(CollectionOfOne(row), generation: generation)
        return row
    }

    static func row(_ entity: EntityPlan, _ key: Int64, _ plan: StorePlan, _ connection: Connection) throws
        -> StoredRow?
    {
        let select = plan.selects[plan.rootPlan(entity).index]
        let statement = try connection.cached(plan.rowSQL[entity.index])
        statement.bind(key, at: 1)
        defer { statement.reset() }
        return try statement.step() ? StoredRow.read(statement, select) : nil
    }
}
