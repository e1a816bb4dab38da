import Foundation
import SQLite
import StoreFormat
import StoreModel

/// Constants of predicates as values of columns: the same for SQL and for objects in memory.
enum PredicateConstant {
    /// The value as it would stand in a column of the leaf.
    /// - Throws: `StoreError` `BadPredicate` where a value of that kind can never stand there.
    static func encode(_ value: ModelValue, like leaf: LeafLayout) throws -> SQLValue {
        if case .null = value { return .null }
        switch (leaf.type, value) {
        case (.date, .string(let text)):
            if let date = date(text) { return .real(date.timeIntervalSinceReferenceDate) }
        case (.date, .date), (.date, .integer), (.date, .double):
            return natural(value)
        case (.uuid, .string(let text)):
            if let uuid = UUID(uuidString: text) { return natural(.uuid(uuid)) }
        case (.uuid, .uuid), (.uri, .url), (.uri, .string), (.string, .string), (.string, .url), (.binaryData, .data),
            (.transformable, .data):
            return natural(value)
        case (.string, .uuid(let uuid)):
            return .text(uuid.uuidString)
        case (.boolean, .string(let text)):
            switch text.uppercased() {
            case "YES", "TRUE", "1": return .integer(1)
            case "NO", "FALSE", "0": return .integer(0)
            default: break
            }
        case (.boolean, _), (.integer16, _), (.integer32, _), (.integer64, _), (.double, _), (.float, _), (.decimal, _):
            if let number = number(value) { return number }
        default:
            break
        }
        throw StoreError(
            .badPredicate, "\(leaf.path) is \(leaf.type) and cannot be compared with \(value)",
            way: "give a value of that type")
    }

    private static func number(_ value: ModelValue) -> SQLValue? {
        switch value {
        case .bool, .integer, .double, .decimal: return natural(value)
        case .string(let text):
            if let integer = Int64(text) { return .integer(integer) }
            return Double(text).map { .real($0) }
        default: return nil
        }
    }

    /// The value in the storage class that is its own.
    static func natural(_ value: ModelValue) -> SQLValue {
        switch value {
        case .bool(let value): .integer(value ? 1 : 0)
        case .integer(let value): .integer(value)
        case .double(let value): .real(value)
        case .decimal(let value):
            Int64("\(value)").map { .integer($0) } ?? .real(NSDecimalNumber(decimal: value).doubleValue)
        case .string(let value), .url(let value): .text(value)
        case .date(let value): .real(value.timeIntervalSinceReferenceDate)
        case .uuid(let value): withUnsafeBytes(of: value.uuid) { .blob([UInt8]($0)) }
        case .data(let value): .blob([UInt8](value))
        case .null, .array, .dictionary, .archived: .null
        }
    }

    /// A date in ISO 8601, with or without fractions of a second or a time.
    static func date(_ text: String) -> Date? {
        if let date = try? Date(text, strategy: .iso8601) { return date }
        if let date = try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)) {
            return date
        }
        return try? Date(text + "T00:00:00Z", strategy: .iso8601)
    }

    /// An attribute's value as it stands in a column.
    static func column(_ value: AttributeValue?) -> SQLValue {
        switch value {
        case nil, .composite?, .missingExternalData?: .null
        case .bool(let value)?: .integer(value ? 1 : 0)
        case .integer(let value)?: .integer(value)
        case .double(let value)?: .real(value)
        case .decimal(let value)?: natural(.decimal(value))
        case .string(let value)?, .uri(let value)?: .text(value)
        case .date(let value)?: .real(value.timeIntervalSinceReferenceDate)
        case .uuid(let value)?: natural(.uuid(value))
        case .data(let value)?, .transformable(let value)?: .blob([UInt8](value))
        case .unexpected(let value)?: value
        }
    }
}

extension SQLValue {
    /// SQLite's order: NULL, numbers, text by bytes, blobs by bytes.
    static func compare(_ a: SQLValue, _ b: SQLValue) -> ComparisonResult {
        switch (a, b) {
        case (.integer(let x), .integer(let y)): return order(x, y)
        case (.integer, .real), (.real, .integer), (.real, .real): return order(a.doubleValue ?? 0, b.doubleValue ?? 0)
        case (.text(let x), .text(let y)): return order(Array(x.utf8), Array(y.utf8))
        case (.blob(let x), .blob(let y)): return order(x, y)
        default: return order(a.rank, b.rank)
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    private static func order<T: Comparable>(_ x: T, _ y: T) -> ComparisonResult {
        x < y ? .orderedAscending : x == y ? .orderedSame : .orderedDescending
    }

    private static func order(_ x: [UInt8], _ y: [UInt8]) -> ComparisonResult {
        x == y ? .orderedSame : x.lexicographicallyPrecedes(y) ? .orderedAscending : .orderedDescending
    }
}
