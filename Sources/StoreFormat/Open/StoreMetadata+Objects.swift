import Foundation
import KeyedArchive

extension StoreMetadata {
    /// The metadata as Foundation's objects, by the names that Core Data gives them, with the store's UUID under
    /// `NSStoreUUID`.
    public var objects: [String: Any] {
        var result = plist.entries.reduce(into: [String: Any]()) { $0[$1.key] = Self.object($1.value) }
        result["NSStoreUUID"] = uuid
        return result
    }

    private static func object(_ node: PropertyListNode) -> Any {
        switch node {
        case .null: NSNull()
        case .bool(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .unsigned(let value), .uid(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .array(let values), .set(let values): values.map { object($0) }
        case .dictionary(let values):
            values.entries.reduce(into: [String: Any]()) { $0[$1.key] = object($1.value) }
        }
    }
}
