import SQLite
import StoreFormat
import StoreModel

/// How a daemon opens its store.
public struct BridgeOptions: Sendable {
    /// The model to read the store by; nil takes the store's own.
    public var model: ModelDescription?
    /// What to call the given model in messages.
    public var modelSource: String
    /// Who owns which entities, for a store that is adopted at this start.
    public var seed: OwnershipSeed
    /// How the store is kept from being written by other programs.
    public var guardMode: GuardMode
    /// How far a commit has got when a save returns.
    public var durability: StoreConnector.Durability
    /// Off opens a store read-only.
    public var isTracking: Bool
    /// Reading connections for each stack.
    public var readers: Int
    /// Rows in each stack's cache at most.
    public var legacyCacheObjects: Int
    /// Rows that the model stack's cache holds at most.
    public var modelCacheObjects: Int
    /// The size of the WAL, in bytes, above which the daemon checkpoints.
    public var maximumLogBytes: Int
    /// How long the daemon's own writes wait for another program's lock, in milliseconds.
    public var busyTimeout = 10_000
    /// How long a read may keep the log from being moved into the store: older ones are ended with `ReaderExpired`.
    public var readerAge = ReaderAge(maximum: .seconds(60))
    /// How long history is kept.
    public var retention = RetentionPolicy()
    /// Whether a delete whose rules reach the other stack's rows is carried out in that stack's name, or refused.
    public var forwardsDeletes = false
    /// Called at each moment of a forwarded delete, on the saving thread: for tests that end the process there.
    public var forwardProbe: @Sendable (DeleteForwarding.Moment) -> Void = { _ in }
    /// Called at each moment of a handover: for tests that end the process there.
    public var handoverProbe: @Sendable (HandoverMoment) -> Void = { _ in }

    /// Makes options with the daemon's defaults for what is not given.
    public init(
        model: ModelDescription? = nil, modelSource: String = "the given model", seed: OwnershipSeed = OwnershipSeed(),
        guardMode: GuardMode = .always, durability: StoreConnector.Durability = .full, isTracking: Bool = true,
        readers: Int = 2, legacyCacheObjects: Int = 100_000, modelCacheObjects: Int = 100_000,
        maximumLogBytes: Int = 64 << 20
    ) {
        self.model = model
        self.modelSource = modelSource
        self.seed = seed
        self.guardMode = guardMode
        self.durability = durability
        self.isTracking = isTracking
        self.readers = readers
        self.legacyCacheObjects = legacyCacheObjects
        self.modelCacheObjects = modelCacheObjects
        self.maximumLogBytes = maximumLogBytes
    }
}
