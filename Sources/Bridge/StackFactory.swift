import LegacyStack
import ModelStack
import StoreFormat

/// Opens the two stacks of a bridge.
public struct StackFactory: Sendable {
    public var legacy: @Sendable (StorePreparation, BridgeOptions) throws -> any StackInstance
    public var model: @Sendable (StorePreparation, BridgeOptions) throws -> any StackInstance

    public init(
        legacy: @escaping @Sendable (StorePreparation, BridgeOptions) throws -> any StackInstance,
        model: @escaping @Sendable (StorePreparation, BridgeOptions) throws -> any StackInstance
    ) {
        self.legacy = legacy
        self.model = model
    }
}

extension StackFactory {
    public static var standard: StackFactory {
        StackFactory(legacy: { _, _ in throw StoreError(.refused, "") }, model: { _, _ in throw StoreError(.refused, "") })
    }
}

extension StackFactory {
    public static func reader(_ stack: StackName, _ store: Store) throws -> any StackInstance {
        throw StoreError(.refused, "")
    }
}
