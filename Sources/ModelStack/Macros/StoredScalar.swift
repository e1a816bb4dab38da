import Foundation
import SQLite
import StoreFormat
import StoreModel

/// A type that stands in one column of its own attribute type.
///
/// Not to be adopted outside this module: a type of yours is stored by being `Codable`.
public protocol StoredScalar: Codable {
    /// The attribute's type; an optional has that of what it wraps.
    static var _attributeType: AttributeType { get }
    static var _isOptional: Bool { get }
    /// What is shown where a mandatory value is missing in the store.
    static var _absent: Self { get }
    /// Nil where the column holds something else.
    init?(_stored: SQLValue)
    var _stored: SQLValue { get }
}

extension StoredScalar {
    /// False: only `Optional` has another answer.
    public static var _isOptional: Bool { false }
}

extension String: StoredScalar {
    /// Stored as text.
    public static var _attributeType: AttributeType { .string }
    /// An empty text where a mandatory value is missing.
    public static var _absent: String { "" }
    /// Takes a TEXT column; nil for any other storage class.
    public init?(_stored: SQLValue) {
        guard case .text(let text) = _stored else { return nil }
        self = text
    }
    /// The text as TEXT.
    public var _stored: SQLValue { .text(self) }
}

extension Bool: StoredScalar {
    /// Stored as a Boolean.
    public static var _attributeType: AttributeType { .boolean }
    /// False where a mandatory value is missing.
    public static var _absent: Bool { false }
    /// Takes a numeric column, in which everything but 0 is true; nil for any other storage class.
    public init?(_stored: SQLValue) {
        guard let number = _stored.doubleValue else { return nil }
        self = number != 0
    }
    /// INTEGER 1 for true, 0 for false.
    public var _stored: SQLValue { .integer(self ? 1 : 0) }
}

extension FixedWidthInteger {
    fileprivate init?(column: SQLValue) {
        guard let value = column.integerValue, let exact = Self(exactly: value) else { return nil }
        self = exact
    }

    /// Numbers beyond 63 bits stand as they do in Core Data: with their bits.
    fileprivate var column: SQLValue { .integer(Int64(truncatingIfNeeded: self)) }
}

extension Int: StoredScalar {
    /// Stored as a 64-bit integer.
    public static var _attributeType: AttributeType { .integer64 }
    /// Zero where a mandatory value is missing.
    public static var _absent: Int { 0 }
    /// Takes a numeric column without a fraction; nil where the number does not fit the type.
    public init?(_stored: SQLValue) { self.init(column: _stored) }
    /// The number as INTEGER.
    public var _stored: SQLValue { column }
}

extension Int64: StoredScalar {
    /// Stored as a 64-bit integer.
    public static var _attributeType: AttributeType { .integer64 }
    /// Zero where a mandatory value is missing.
    public static var _absent: Int64 { 0 }
    /// Takes a numeric column without a fraction; nil where the number does not fit the type.
    public init?(_stored: SQLValue) { self.init(column: _stored) }
    /// The number as INTEGER.
    public var _stored: SQLValue { column }
}

extension Int32: StoredScalar {
    /// Stored as a 32-bit integer.
    public static var _attributeType: AttributeType { .integer32 }
    /// Zero where a mandatory value is missing.
    public static var _absent: Int32 { 0 }
    /// Takes a numeric column without a fraction; nil where the number does not fit the type.
    public init?(_stored: SQLValue) { self.init(column: _stored) }
    /// The number as INTEGER.
    public var _stored: SQLValue { column }
}

extension Int16: StoredScalar {
    /// Stored as a 16-bit integer.
    public static var _attributeType: AttributeType { .integer16 }
    /// Zero where a mandatory value is missing.
    public static var _absent: Int16 { 0 }
    /// Takes a numeric column without a fraction; nil where the number does not fit the type.
    public init?(_stored: SQLValue) { self.init(column: _stored) }
    /// The number as INTEGER.
    public var _stored: SQLValue { column }
}

extension Int8: StoredScalar {
    /// Stored as a 16-bit integer, the smallest that stores have.
    public static var _attributeType: AttributeType { .integer16 }
    /// Zero where a mandatory value is missing.
    public static var _absent: Int8 { 0 }
    /// Takes a numeric column without a fraction; nil where the number does not fit the type.
    public init?(_stored: SQLValue) { self.init(column: _stored) }
    /// The number as INTEGER.
    public var _stored: SQLValue { column }
}

extension Double: StoredScalar {
    /// Stored as a double.
    public static var _attributeType: AttributeType { .double }
    /// Zero where a mandatory value is missing.
    public static var _absent: Double { 0 }
    /// Takes a numeric column; nil for any other storage class.
    public init?(_stored: SQLValue) {
        guard let value = _stored.doubleValue else { return nil }
        self = value
    }
    /// The number as REAL. SQLite keeps no negative zero.
    public var _stored: SQLValue { .real(self == 0 ? 0 : self) }
}

extension Float: StoredScalar {
    /// Stored as a float.
    public static var _attributeType: AttributeType { .float }
    /// Zero where a mandatory value is missing.
    public static var _absent: Float { 0 }
    /// Takes a numeric column, rounded to a float; nil for any other storage class.
    public init?(_stored: SQLValue) {
        guard let value = _stored.doubleValue else { return nil }
        self = Float(value)
    }
    /// The number as REAL, widened to a double. SQLite keeps no negative zero.
    public var _stored: SQLValue { .real(self == 0 ? 0 : Double(self)) }
}

extension Date: StoredScalar {
    /// Stored as a date.
    public static var _attributeType: AttributeType { .date }
    /// The reference date, 1 January 2001 in UTC, where a mandatory value is missing.
    public static var _absent: Date { Date(timeIntervalSinceReferenceDate: 0) }
    /// Takes a numeric column as seconds since the reference date; nil for any other storage class.
    public init?(_stored: SQLValue) {
        guard let value = _stored.doubleValue else { return nil }
        self.init(timeIntervalSinceReferenceDate: value)
    }
    /// The seconds since the reference date as REAL.
    public var _stored: SQLValue { .real(timeIntervalSinceReferenceDate) }
}

extension UUID: StoredScalar {
    /// Stored as a UUID.
    public static var _attributeType: AttributeType { .uuid }
    /// The UUID of sixteen zero bytes where a mandatory value is missing.
    public static var _absent: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
    /// Takes a BLOB column of sixteen bytes; nil for anything else.
    public init?(_stored: SQLValue) {
        guard case .blob(let bytes) = _stored, bytes.count == 16 else { return nil }
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
    /// The sixteen bytes as a BLOB.
    public var _stored: SQLValue { withUnsafeBytes(of: uuid) { .blob([UInt8]($0)) } }
}

extension Data: StoredScalar {
    /// Stored as binary data.
    public static var _attributeType: AttributeType { .binaryData }
    /// No bytes where a mandatory value is missing.
    public static var _absent: Data { Data() }
    /// Takes a BLOB column; nil for any other storage class.
    public init?(_stored: SQLValue) {
        guard case .blob(let bytes) = _stored else { return nil }
        self.init(bytes)
    }
    /// The bytes as a BLOB.
    public var _stored: SQLValue { .blob([UInt8](self)) }
}

extension URL: StoredScalar {
    /// Stored as a URI.
    public static var _attributeType: AttributeType { .uri }
    /// The URL of the root folder where a mandatory value is missing.
    public static var _absent: URL { URL(fileURLWithPath: "/") }
    /// Takes a TEXT column; nil for any other storage class, and for text that is no URL.
    public init?(_stored: SQLValue) {
        guard case .text(let text) = _stored else { return nil }
        self.init(string: text)
    }
    /// The absolute URL as TEXT.
    public var _stored: SQLValue { .text(absoluteString) }
}

extension Decimal: StoredScalar {
    /// Stored as a decimal.
    public static var _attributeType: AttributeType { .decimal }
    /// Zero where a mandatory value is missing.
    public static var _absent: Decimal { 0 }
    /// Takes a numeric column, a real by its shortest decimal text; nil for text, blobs and what is not finite. Text that
    /// `_stored` gave in memory is taken back.
    public init?(_stored: SQLValue) {
        guard let value = ValueCoding.decimal(_stored) else { return nil }
        self = value
    }
    /// An INTEGER or REAL that holds the number exactly. Where neither does, its digits as text: no store keeps that, and
    /// the save is refused.
    public var _stored: SQLValue {
        if isNaN { return .real(.nan) }
        return ValueCoding.column(self) ?? .text(NSDecimalNumber(decimal: self).stringValue)
    }
}

extension Optional: StoredScalar where Wrapped: StoredScalar {
    /// The attribute type of what is wrapped.
    public static var _attributeType: AttributeType { Wrapped._attributeType }
    /// True: the column may hold NULL.
    public static var _isOptional: Bool { true }
    /// Nil, for a column that holds NULL.
    public static var _absent: Wrapped? { nil }
    /// Takes NULL as no value; also no value where the column holds another class than the wrapped type stores.
    public init?(_stored: SQLValue) {
        if case .null = _stored {
            self = .none
        } else {
            self = Wrapped(_stored: _stored)
        }
    }
    /// NULL for no value, else what the wrapped value stores.
    public var _stored: SQLValue { self?._stored ?? .null }
}
