import LegacyStack
import ModelStack
import StoreFormat

/// Opens the two stacks of a bridge.
public struct StackFactory: Sendable {
    /// Opens the legacy stack on a store that is ready for it.
    public var legacy: @Sendable (StorePreparation, BridgeOptions) throws -> any StackInstance
    /// Opens the model stack on a store that is ready for it.
    public var model: @Sendable (StorePreparation, BridgeOptions) throws -> any StackInstance

    /// Makes a factory from a way to open each stack.
    public init(
        legacy: @escaping @Sendable (StorePreparation, BridgeOptions) throws -> any StackInstance,
        model: @escaping @Sendable (StorePreparation, BridgeOptions) throws -> any StackInstance
    ) {
        self.legacy = legacy
        self.model = model
    }

    /// The stacks of this package, without classes: objects by entity name.
    public static let standard = StackFactory(
        legacy: { preparation, options in
            var settings = LegacyInstance.Options()
            settings.isReadOnly = preparation.readOnlyReason != nil
            settings.durability = options.durability
            settings.cacheLimit = options.legacyCacheObjects
            settings.readerCount = options.readers
            settings.maximumLogBytes = nil
            settings.readerAge = options.readerAge
            return try LegacyInstance(store: preparation.store, options: settings)
        },
        model: { preparation, options in
            var settings = ModelInstance.Options()
            settings.isReadOnly = preparation.readOnlyReason != nil
            settings.durability = options.durability
            settings.cacheLimit = options.modelCacheObjects
            settings.readerCount = options.readers
            settings.maximumLogBytes = nil
            settings.readerAge = options.readerAge
            return try ModelInstance(store: preparation.store, options: settings)
        })

    /// One stack on a store that may have no daemon, reading only and leaving nothing behind.
    public static func reader(_ stack: StackName, _ store: Store) throws -> any StackInstance {
        switch stack {
        case .legacy:
            var settings = LegacyInstance.Options()
            settings.isReadOnly = true
            settings.readerCount = 1
            return try LegacyInstance(store: store, options: settings)
        case .model:
            var settings = ModelInstance.Options.readOnly
            settings.readerCount = 1
            return try ModelInstance(store: store, options: settings)
        }
    }
}
