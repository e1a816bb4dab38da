import Foundation
import SQLite
import StoreFormat
import StoreModel
import Synchronization

/// One store opened through the managed-object stack: its connections, its row cache, its place in history, and the
/// contexts over it.
///
/// ```swift
/// let instance = try LegacyInstance(path: "/var/lib/library.sqlite")
/// let context = instance.newContext()
/// let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
/// ```
public final class LegacyInstance: StackInstance {
    /// How a store is opened.
    public struct Options: Sendable {
        /// Reads only, and leaves nothing beside the file.
        public var isReadOnly = false
        /// Writes history. A tracked store that is opened without gets read-only.
        public var isTracking = true
        /// How far a commit has got when a save returns.
        public var durability: StoreConnector.Durability = .full
        /// How many rows the cache keeps.
        public var cacheLimit = 100_000
        /// How many connections read at the same time.
        public var readerCount = 4
        /// How long a save waits for other writers, in milliseconds.
        public var busyTimeout = 10_000
        /// How long a read may keep the log from being moved into the store; nil for as long as it likes. Older ones are
        /// ended with `ReaderExpired` when somebody commits.
        public var readerAge: ReaderAge?
        /// Above this size of the WAL a save is followed by a checkpoint; nil leaves checkpoints to the daemon.
        public var maximumLogBytes: Int? = 64 << 20

        /// The defaults: reading and writing, with history.
        public init() {}
    }

    struct State {
        var position: Int64
        var epochs: [String: Int64]
        var handler: (@Sendable (CommitNotice) -> Void)?
        var forwarding: DeleteForwarding?
        var contexts: [WeakContext] = []
        /// What this instance committed since it last replayed: a store that has not been adopted records no writers.
        var own: Set<Int64> = []
        /// Whether another file was found in the store's place.
        var isLost = false
    }

    struct WeakContext {
        weak var context: NSManagedObjectContext?
    }

    /// The legacy stack.
    public let stack = StackName.legacy
    /// A random name, under which the register records this instance's saves.
    public let instanceName = UUID().uuidString
    /// The store that the instance is on.
    public let store: Store
    /// How the instance was opened.
    public let options: Options
    /// The model, as the contexts' objects see it.
    public let managedObjectModel: NSManagedObjectModel
    /// Why nothing can be saved; nil where something can.
    public let readOnlyReason: String?

    /// Why the log could not be moved into the store after a save, such as a full disk: it grows until that can be done.
    /// Nil where it could, and in a daemon, which moves it itself.
    public var logProblem: StoreError? { writer.logProblem }

    let schema: Schema
    let cache: RowCache
    private let readers: ConnectionPool
    let writer: WriterBox
    let state: Mutex<State>
    let applyLock = NSLock()

    /// Opens a store.
    /// - Parameters:
    ///   - model: the model to read it by; nil takes the store's own model cache.
    ///   - requiringEqualHashes: refuse a given model whose version hashes differ from the store's.
    /// - Throws: `StoreError`, naming what is wrong with the file, the store or the model.
    public convenience init(
        path: String, model: ModelDescription? = nil, options: Options = Options(), requiringEqualHashes: Bool = true
    ) throws {
        let store = try Store.open(path, model: model, requiringEqualHashes: requiringEqualHashes)
        try self.init(store: store, options: options)
    }

    /// Opens a store that is known already.
    /// - Parameter managedObjectModel: the model object to use, where the program has made one.
    /// - Throws: `StoreError`.
    public init(store: Store, managedObjectModel: NSManagedObjectModel? = nil, options: Options = Options()) throws {
        self.store = store
        self.options = options
        let model = managedObjectModel ?? NSManagedObjectModel(store.model)
        model.freeze()
        self.managedObjectModel = model
        schema = Schema(store: store, model: model)
        try ClassCheck.check(model.registeredClasses, schema)
        model.noteOpened(schema)
        cache = RowCache(limit: options.cacheLimit, entityCount: schema.entities.count)
        readOnlyReason =
            options.isReadOnly
            ? "\(store.path) was opened for reading only"
            : options.isTracking ? nil : try store.reasonAgainstUntracked()
        if readOnlyReason == nil { try StoreProbe.checkNames(store.path) }
        let (path, isReadOnly) = (store.path, options.isReadOnly)
        readers = ConnectionPool(limit: options.readerCount, age: options.readerAge) {
            let connection =
                try isReadOnly ? StoreConnector.offlineReader(path) : StoreConnector.connect(path, .reader)
            try PredicateFunctions.register(on: connection)
            return connection
        }
        writer = WriterBox(store: store, options: options, readOnlyReason: readOnlyReason)
        let readers = self.readers
        let start = try StoreConnector.translating(path) {
            try readers.use { connection in
                try connection.transaction(.deferred) {
                    let last = try HistoryReader(connection, store: store).last()
                    // Who only reads holds no epochs, and reads where the register cannot be.
                    return (last, isReadOnly ? [:] : try OwnershipRegister.read(connection)?.epochs ?? [:])
                }
            }
        }
        state = Mutex(State(position: start.0, epochs: start.1))
        if readOnlyReason == nil { StoreWriter.removeLeftFiles(of: store) }
    }

    // MARK: Reading the database

    /// Runs the body with a reader that nobody else uses meanwhile.
    /// - Throws: `StoreError`.
    func read<T>(_ body: (Connection) throws -> T) throws -> T {
        try checkPlace()
        do {
            return try StoreConnector.translating(store.path) { try readers.use(body) }
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

    // MARK: Position and ownership

    /// The number of the last history transaction that the cache reflects.
    public var position: Int64 { state.withLock { $0.position } }

    /// In whose name this instance saves.
    public var authority: SaveAuthority {
        SaveAuthority(stack: .legacy, instanceName: instanceName, epochs: state.withLock { $0.epochs })
    }

    /// What the row cache holds and did so far.
    public var cacheStatistics: CacheStatistics { cache.statistics }

    // MARK: Contexts

    /// A new context with a queue of its own.
    public func newContext() -> NSManagedObjectContext {
        NSManagedObjectContext(instance: self)
    }

    func add(_ context: NSManagedObjectContext) {
        state.withLock { state in
            state.contexts.removeAll { $0.context == nil }
            state.contexts.append(WeakContext(context: context))
        }
    }

    var contexts: [NSManagedObjectContext] { state.withLock { $0.contexts.compactMap(\.context) } }

    // MARK: Commits

    /// Sets what is called after each commit of this instance, on the saving thread; nil ends the calls.
    public func setCommitHandler(_ handler: (@Sendable (CommitNotice) -> Void)?) {
        state.withLock { $0.handler = handler }
    }

    func committed(_ transaction: Int64, forwarded: Int64? = nil, history: HistoryTransaction? = nil) {
        let handler = state.withLock { state in
            // Where nobody replays, the set is not to grow for ever; a number that is missing costs a needless refresh.
            if state.own.count < 100_000 { state.own.formUnion([transaction, forwarded ?? transaction]) }
            return state.handler
        }
        handler?(
            CommitNotice(
                stack: .legacy, instanceName: instanceName, transaction: transaction, forwarded: forwarded,
                history: history))
        options.readerAge?.look()
    }

    /// Where what deletes do to the model stack's rows goes; `forwardDeletes(to:)` sets it.
    public func setDeleteForwarding(_ forwarding: DeleteForwarding?) {
        state.withLock { $0.forwarding = forwarding }
    }

    var deleteForwarding: DeleteForwarding? { state.withLock(\.forwarding) }

    /// Closes the connections. Later calls throw `StoreError`.
    public func close() {
        writer.close()
        readers.close()
    }
}
