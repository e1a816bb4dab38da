import Synchronization

/// The name of a value transformer.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name as models give it.
    public let rawValue: String

    /// Makes a name from its text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Makes a name from its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// Turns the values of a transformable attribute into the data of its column, and back. Foundation here has none.
///
/// `@unchecked Sendable`: the class itself holds nothing; a subclass is shared between contexts, and has to be safe for it.
open class ValueTransformer: NSObject, @unchecked Sendable {
    private static let registry = Mutex<[NSValueTransformerName: ValueTransformer]>([:])

    override public init() {}

    /// The column's data for a value.
    open func transformedValue(_ value: Any?) -> Any? { value }
    /// The value for a column's data.
    open func reverseTransformedValue(_ value: Any?) -> Any? { value }

    /// Registers a transformer under the name that models give.
    public static func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        registry.withLock { $0[name] = transformer }
    }

    /// The transformer of that name.
    public static func named(_ name: NSValueTransformerName) -> ValueTransformer? { registry.withLock { $0[name] } }
}
