import Foundation
import SQLite
import StoreFormat
import StoreModel
import Synchronization

/// Two stacks over one store: gives every entity one writing stack, replays each stack's changes into the other, and
/// moves entities between them.
///
/// The bridge knows a stack only as a `StackInstance`.
public final class StoreBridge: Sendable {
    /// The store that both stacks are on.
    public let store: Store
    /// The legacy stack's instance.
    public let legacy: any StackInstance
    /// The model stack's instance.
    public let model: any StackInstance
    /// How the bridge was opened.
    public let options: BridgeOptions
    /// Why nothing may be written, where the store was opened read-only.
    public let readOnlyReason: String?
    /// The backup that this start's adoption made.
    public let adoptionBackup: String?
    let readers: ConnectionPool
    let replayReaders: ConnectionPool
    let longReaders: ConnectionPool
    /// One connection, so that maintenance is done one thing at a time.
    let maintenance: ConnectionPool?
    let observers = HistoryObservers()
    /// The units that a handover, a freeze or a thaw is about just now.
    let unitsAtWork = UnitsAtWork()
    /// Nil where the store is only looked at, in a folder that may not be written.
    let lock: StoreLock?
    private let replayers: [StackName: Replayer]
    let watcher: Mutex<CommitWatcher?>
    let log: BridgeLog
    let guardKeeper: GuardKeeper
    let retention = Mutex<RetentionKeeper?>(nil)
    let health = BridgeHealth()
    let keeper: LogKeeper
    /// Units that a handover which failed left frozen.
    let thaws = ThawKeeper()
    let holds = HistoryHolds()
    /// What each stack's deletes go through to the other's rows.
    let forwardings: Mutex<[StackName: DeleteForwarding]> = Mutex([:])

    /// Takes the store's lock, adopts it where it never was, opens both stacks and starts to replay.
    /// - Parameter stacks: opens the two stacks.
    /// - Throws: `StoreError`.
    public init(
        path: String, options: BridgeOptions = BridgeOptions(), stacks: StackFactory = .standard
    ) throws {
        let lock = try Self.lock(path, options)
        let log = BridgeLog()
        StoreLeftovers.settle(path)
        let opened = try Store.open(path, model: options.model, source: options.modelSource)
        // Before anything is made beside it.
        if options.isTracking { try StoreProbe.checkWritable(path) }
        let preparation = try StorePreparation.prepare(opened, options: options, log: log)
        store = preparation.store
        readOnlyReason = preparation.readOnlyReason
        adoptionBackup = preparation.backup
        if let problem = preparation.problem { health.note(problem) }
        self.options = options
        self.lock = lock
        self.log = log
        let health = health
        StoreHealth.setHandler(of: store) { health.note($0) }
        legacy = try stacks.legacy(preparation, options)
        model = try stacks.model(preparation, options)
        let storePath = store.path
        let place = store
        let isOffline = lock == nil
        let connect: @Sendable () throws -> Connection = {
            // What took the store's place must not even be opened, nor a store that is gone be called unreadable.
            try place.checkPlace()
            let connection =
                try isOffline ? StoreConnector.offlineReader(storePath) : StoreConnector.connect(storePath, .reader)
            try place.checkPlace()
            return connection
        }
        let readers = ConnectionPool(limit: options.readers, age: options.readerAge, make: connect)
        self.readers = readers
        // Replay reads in batches, and must go on however late it is: no age ends it.
        let replayReaders = ConnectionPool(limit: 2, make: connect)
        self.replayReaders = replayReaders
        longReaders = ConnectionPool(limit: 2, make: connect)
        let (durability, busyTimeout) = (options.durability, options.busyTimeout)
        let maintenance =
            preparation.readOnlyReason != nil
            ? nil
            : ConnectionPool(limit: 1) {
                let connection = try StoreConnector.connect(storePath, .writer(durability), busyTimeout: busyTimeout)
                connection.queueLabel = "the daemon's own connection"
                return connection
            }
        self.maintenance = maintenance
        let guardKeeper = GuardKeeper(
            options.guardMode, storePath: storePath, connections: maintenance, alarm: { log.alarm($0) })
        self.guardKeeper = guardKeeper
        let keeper = LogKeeper(
            storePath: storePath, maximumBytes: options.maximumLogBytes,
            checkpoint: {
                if let problem = health.problem { throw problem }
                return try StoreConnector.translating(storePath) {
                    let result = try maintenance?.use { try $0.checkpoint(.truncate, waitsForReaders: false) }
                    return result?.isComplete ?? false
                }
            }, alarm: { log.alarm($0) })
        self.keeper = keeper
        let store = store
        let observers = observers
        func replayer(_ instance: any StackInstance) -> Replayer {
            Replayer(instance, readers: replayReaders) { event in
                if case .failed(_, let error) = event, health.explains(error) { return }
                log.note(event)
                if case .applied(let stack, let transactions) = event { observers.tell(stack, transactions) }
            }
        }
        let replayers = [StackName.legacy: replayer(legacy), .model: replayer(model)]
        self.replayers = replayers
        if readOnlyReason == nil {
            let legacy = legacy
            let model = model
            let pool = maintenance
            let handler = FindingHandler(
                store: store, replayers: Array(replayers.values), instances: [legacy, model], log: log, health: health,
                guardKeeper: guardKeeper,
                touched: {
                    guard guardKeeper.mode == .record,
                        (try? readers.use { try ForeignChanges.areNoted($0) }) == true
                    else { return nil }
                    return (try? pool?.use { try ForeignChanges.take($0, store: store) }) ?? nil
                },
                changed: { number, last in
                    try readers.use { try HistoryReader($0, store: store).changedEntities(after: number, upTo: last) }
                })
            watcher = Mutex(
                try CommitWatcher(
                    store: store, isDaemon: true,
                    afterLook: { [weak lock] in
                        if let lock { handler.lookAfter(lock) }
                    },
                    report: { finding in
                        keeper.look()
                        handler.handle(finding)
                        if case .rewound = finding { observers.tell(.legacy, []) }
                    }))
        } else {
            watcher = Mutex(nil)
        }
        for instance in [legacy, model] {
            instance.setCommitHandler { notice in
                log.committed(notice)
                for replayer in replayers.values { replayer.take(notice) }
                keeper.look()
            }
        }
        options.readerAge.setHandler { age in
            log.alarm(
                .readerEnded,
                "a read that was \(age.components.seconds) s old was ended: it kept the log from being moved into the store"
            )
        }
        forwardDeletes(options.forwardsDeletes)
        watcher.withLock { $0?.start() }
        for replayer in replayers.values { replayer.signal() }
        if options.retention.isLimited, readOnlyReason == nil {
            let keeper = RetentionKeeper(options.retention) { [weak self] in self }
            retention.withLock { $0 = keeper }
            _ = addObserver { [weak keeper] _, _ in keeper?.nudge() }
            keeper.start()
        }
    }

    deinit {
        watcher.withLock { $0?.stop() }
    }

    /// The store's lock. Who only looks at a store needs none where the folder may not be written.
    private static func lock(_ path: String, _ options: BridgeOptions) throws -> StoreLock? {
        do { return try StoreLock(storePath: path) } catch var error as StoreError
            where error.code == .accessDenied || error.code == .readOnly
        {
            guard options.isTracking else { return nil }
            error.way += "; to look only, set history.tracking to \"off\""
            throw error
        }
    }

    /// The stack of that name.
    public func instance(_ stack: StackName) -> any StackInstance { stack == .legacy ? legacy : model }

    /// How old readers may get, and are.
    public var readerAge: ReaderAge { options.readerAge }
    /// Has history purged soon, as the options say.
    func nudgeRetention() { retention.withLock { $0 }?.nudge() }

    /// Brings stacks up to a transaction, or to the newest.
    /// - Returns: each stack's position.
    @discardableResult
    public func replay(_ stacks: [StackName] = StackName.allCases, to number: Int64? = nil) throws -> [StackName: Int64]
    {
        let last = try lastTransaction()
        let target = number ?? last
        guard target <= last else {
            throw StoreError(
                .refused, "there is no transaction \(target) yet: history is at \(last)",
                way: "give a token that a save returned")
        }
        var positions: [StackName: Int64] = [:]
        for stack in stacks {
            try replayers[stack]?.reach(target)
            positions[stack] = instance(stack).position
        }
        return positions
    }

    /// Reads with a connection of the bridge's own.
    public func read<T>(_ body: (Connection) throws -> T) throws -> T {
        try checkPlace()
        return try StoreConnector.translating(store.path) { try readers.use(body) }
    }

    /// Writes with the bridge's own connection, one caller at a time.
    func maintain<T>(_ body: (Connection) throws -> T) throws -> T {
        try checkWritable()
        guard let maintenance else {
            throw StoreError(.readOnly, "\(store.path) is open read-only", way: "see `coexistctl status`")
        }
        try checkPlace()
        return try StoreConnector.translating(store.path) {
            try maintenance.use(body)
        }
    }

    /// Where history begins and ends.
    public func extent() throws -> HistoryReader.Extent {
        let store = store
        return try read { try HistoryReader($0, store: store).extent() }
    }

    /// The highest transaction number ever handed out.
    public func lastTransaction() throws -> Int64 {
        let store = store
        return try read { try HistoryReader($0, store: store).last() }
    }
}
