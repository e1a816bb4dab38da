import Foundation
import Synchronization

/// The name of a value transformer.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name as models give it.
    public let rawValue: String

    /// Makes a name from its text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Makes a name from its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Archives of plain values, read securely: what an attribute without a transformer's name has too.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
}

/// Turns the values of a transformable attribute into the data of its column, and back. Foundation here has none.
///
/// A transformer reads what a file holds, and a file can come from anybody: it has to refuse what it does not expect.
///
/// `@unchecked Sendable`: the class itself holds nothing; a subclass is shared between contexts, and has to be safe for it.
open class ValueTransformer: NSObject, @unchecked Sendable {
    private static let registry = Mutex<[NSValueTransformerName: ValueTransformer]>([:])

    override public init() {}

    /// The column's data for a value.
    open func transformedValue(_ value: Any?) -> Any? { value }
    /// The value for a column's data; nil where the data is none of this transformer's.
    open func reverseTransformedValue(_ value: Any?) -> Any? { value }

    /// Registers a transformer under the name that models give; both stacks then use it.
    public static func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        registry.withLock { $0[name] = transformer }
    }

    /// The transformer of that name.
    public static func named(_ name: NSValueTransformerName) -> ValueTransformer? { registry.withLock { $0[name] } }
    /// The names that transformers are registered under.
    public static func valueTransformerNames() -> [NSValueTransformerName] { registry.withLock { Array($0.keys) } }
}
