import Foundation
import SQLite

/// The one way to write a store's rows: a save is one SQLite transaction with the ownership check, the rows, and the
/// history.
///
/// Belongs to the queue or thread that made it, like its connection.
public final class StoreWriter {
    /// The one connection that this writer uses.
    public let connection: Connection
    /// The store as this writer last read it.
    public private(set) var store: Store
    /// Whether a store without history tables gets them with the first save.
    public let isTracking: Bool
    /// Above this size of the WAL a save is followed by a checkpoint; nil leaves checkpoints to the daemon.
    public var maximumLogBytes: Int?
    /// The entities of objects that the last save changed beside what its body told it to.
    public private(set) var sideEffects: Set<String> = []
    /// The history transaction that the last save wrote in the other stack's name, where its deletes reached that
    /// stack's rows.
    public private(set) var forwarded: Int64?
    /// The history transaction that the last save wrote, without tombstones, for those in this process who need not read
    /// it then. Nil where it is too large to be kept, or not all of what the save wrote.
    public private(set) var written: HistoryTransaction?
    /// Why the log could not be moved into the store after the last save that tried, such as a full disk: it grows until
    /// that can be done. Nil where it could.
    public private(set) var logProblem: StoreError?
    /// The schema that `store` and the mirrored triggers are of. Unknown until the first save: the store may have been
    /// migrated since it was read.
    private var schemaVersion: Int64?
    private var place: StorePlace
    private let notices: NoticeSender
    /// The highest key that history has of each root's tree, looked up with the first object of it that is inserted: from
    /// then on the counter is ahead of it.
    private var keysInHistory: [String: Int64] = [:]
    /// After a checkpoint that readers held back, the size of the log in frames at which to try again.
    private var nextCheckpoint = 0

    /// Opens a connection for writing.
    /// - Parameters:
    ///   - isTracking: false for a store that is written without history. A store whose history has
    ///     transactions is then refused.
    ///   - busyTimeout: how long a save waits for the write lock, in milliseconds.
    /// - Throws: `StoreError`: `ReadOnly` for a store with history that is opened with tracking off, and what opening throws.
    public init(
        store: Store, durability: StoreConnector.Durability = .full, isTracking: Bool = true, busyTimeout: Int = 10_000,
        maximumLogBytes: Int? = 64 << 20
    ) throws {
        self.store = store
        place = StorePlace(store.path)
        self.isTracking = isTracking
        notices = NoticeSender(storePath: store.path)
        self.maximumLogBytes = maximumLogBytes
        connection = try StoreConnector.connect(store.path, .writer(durability), busyTimeout: busyTimeout)
        if !isTracking { try store.checkUntracked(connection) }
        try StoreConnector.translating(store.path) { _ = try ExternalFileJournal.recover(store, connection) }
    }

    /// Removes external files that a process which was killed in a save left behind. A writer does so when it is made;
    /// this is for those that make theirs with the first save. Does nothing where nothing was left.
    public static func removeLeftFiles(of store: Store) {
        guard ExternalFileJournal.isThere(store.externalData) else { return }
        // Another process may be writing, or the folder be read-only: then the next writer does it.
        _ = try? StoreWriter(store: store, busyTimeout: 0)
    }

    /// Runs the body in a save's transaction and commits it.
    /// - Parameter forwarding: where what delete rules do to the other stack's rows goes; nil refuses such deletes.
    /// - Returns: the body's result, and the history transaction's number; nil if nothing was written.
    /// - Throws: `StoreError`. Then nothing is written, and external files that the body wrote are gone again.
    public func save<T>(
        _ authority: SaveAuthority, _ identity: TransactionIdentity, forwarding: DeleteForwarding? = nil,
        _ body: (SaveTransaction) throws -> T
    ) throws -> (T, Int64?) {
        try StoreHealth.checkWritable(store)
        try store.checkPlace()
        let result = try StoreConnector.translating(store.path) {
            connection.queueLabel = "the \(authority.stack.rawValue) stack's instance \(authority.instanceName)"
            try connection.begin(.immediate)
            var pending: SaveTransaction?
            defer { if pending?.isForwarding == true { forwarding?.end() } }
            var before: (store: Store, schemaVersion: Int64?) = (store, nil)
            do {
                try place.check(connection, store: store)
                // Triggers that are mirrored in this transaction go again if it is rolled back.
                before.schemaVersion = try followSchema() ? nil : schemaVersion
                before.store = store
                let transaction = try SaveTransaction(self, authority, identity, forwarding)
                pending = transaction
                let result = try body(transaction)
                let number = try transaction.finish()
                sideEffects = transaction.sideEffects
                forwarded = transaction.forwarded
                written = number == nil || number == 0 ? nil : transaction.written
                try place.check(connection, store: store)
                if number == nil {
                    connection.rollback()
                } else {
                    // With the place in the queue still ours, a checkpoint need not wait for other writers.
                    try connection.commit { try? checkpointIfNeeded() }
                }
                if number == nil { (store, schemaVersion) = before }
                if transaction.forwarded != nil { forwarding?.reach(.committed) }
                if number != nil { notices.committed() }
                transaction.removeObsoleteFiles(committed: number != nil)
                // 0 is a commit that handed out keys and has no history.
                return (result, number == 0 ? nil : number)
            } catch {
                connection.rollback()
                (store, schemaVersion) = before
                pending?.removeObsoleteFiles(committed: false)
                throw error
            }
        }
        return result
    }

    /// Inside a transaction: takes notice of a schema that another process changed.
    /// - Returns: whether it had.
    private func followSchema() throws -> Bool {
        let current = try connection.scalar("PRAGMA schema_version")?.integerValue ?? 0
        guard current != schemaVersion else { return false }
        connection.clearStatementCache()
        let fresh = try store.rereadInTransaction(connection)
        guard fresh.metadata.versionHashes == store.metadata.versionHashes else {
            throw StoreError(
                .schemaMismatch, "\(store.path) was migrated to another model while it was open",
                way: "open it again with the new model")
        }
        store = fresh
        try TriggerMirror.install(on: connection)
        schemaVersion = current
        return true
    }

    /// Inside a transaction: makes the history tables of a store that was never tracked.
    func makeHistoryTables() throws {
        let tombstones = store.layout.entities.map(\.tombstoneAttributes.count).max() ?? 0
        try HistoryTables.create(connection, tombstones: tombstones)
        store = try store.rereadInTransaction(connection)
    }

    /// Inside a transaction: the highest key that history has of an entity's tree, as of this writer's first save of one.
    func highestKeyInHistory(of entity: EntityLayout) throws -> Int64 {
        if let known = keysInHistory[entity.rootName] { return known }
        guard store.historyForm.isTracked, let root = store.layout[entity.rootName] else { return 0 }
        let key = try HistoryKeys.highest(of: [root.treeNumbers], connection)[0]
        keysInHistory[entity.rootName] = key
        return key
    }

    /// A save does not wait for readers: what they hold back is moved by a later one.
    private func checkpointIfNeeded() throws {
        let frames = connection.logFrames
        guard let maximumLogBytes, frames * 4096 > maximumLogBytes, frames >= nextCheckpoint else { return }
        let timeout = connection.busyTimeout
        connection.busyTimeout = min(timeout, 50)
        defer { connection.busyTimeout = timeout }
        do {
            logProblem = nil
            nextCheckpoint = try connection.checkpoint(.restart).isComplete ? 0 : frames + 1_000
        } catch let error as SQLiteError {
            let problem = StoreError(error, path: store.path)
            if error.isSyncFailure { StoreHealth.note(problem, path: store.path) }
            logProblem = problem
            nextCheckpoint = frames + 100
        }
    }
}
