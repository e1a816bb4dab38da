import StoreFormat
import StoreModel

/// How a daemon opens its store.
public struct BridgeOptions: Sendable {
    public var model: ModelDescription?
    /// What to call the given model in messages.
    public var modelSource: String
    public var seed: OwnershipSeed
    public var guardMode: GuardMode
    public var durability: StoreConnector.Durability
    /// Off opens a store read-only.
    public var isTracking: Bool
    /// Reading connections for each stack.
    public var readers: Int
    /// Rows in each stack's cache at most.
    public var legacyCacheObjects: Int
    public var modelCacheObjects: Int
    /// The size of the WAL, in bytes, above which the daemon checkpoints.
    public var maximumLogBytes: Int

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
