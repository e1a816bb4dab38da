import Foundation
import SQLite
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
    public static var _isOptional: Bool { false }
}

extension String: StoredScalar {
    public static var _attributeType: AttributeType { .string }
    public static var _absent: String { "" }
    public init?(_stored: SQLValue) {
        guard case .text(let text) = _stored else { return nil }
        self = text
    }
    public var _stored: SQLValue { .text(self) }
}

extension Bool: StoredScalar {
    public static var _attributeType: AttributeType { .boolean }
    public static var _absent: Bool { false }
    public init?(_stored: SQLValue) {
        guard let number = _stored.doubleValue else { return nil }
        self = number != 0
    }
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
    public static var _attributeType: AttributeType { .integer64 }
    public static var _absent: Int { 0 }
    public init?(_stored: SQLValue) { self.init(column: _stored) }
    public var _stored: SQLValue { column }
}

extension Int64: StoredScalar {
    public static var _attributeType: AttributeType { .integer64 }
    public static var _absent: Int64 { 0 }
    public init?(_stored: SQLValue) { self.init(column: _stored) }
    public var _stored: SQLValue { column }
}

extension Int32: StoredScalar {
    public static var _attributeType: AttributeType { .integer32 }
    public static var _absent: Int32 { 0 }
    public init?(_stored: SQLValue) { self.init(column: _stored) }
    public var _stored: SQLValue { column }
}

extension Int16: StoredScalar {
    public static var _attributeType: AttributeType { .integer16 }
    public static var _absent: Int16 { 0 }
    public init?(_stored: SQLValue) { self.init(column: _stored) }
    public var _stored: SQLValue { column }
}

extension Int8: StoredScalar {
    public static var _attributeType: AttributeType { .integer16 }
    public static var _absent: Int8 { 0 }
    public init?(_stored: SQLValue) { self.init(column: _stored) }
    public var _stored: SQLValue { column }
}

extension Double: StoredScalar {
    public static var _attributeType: AttributeType { .double }
    public static var _absent: Double { 0 }
    public init?(_stored: SQLValue) {
        guard let value = _stored.doubleValue else { return nil }
        self = value
    }
    public var _stored: SQLValue { .real(self) }
}

extension Float: StoredScalar {
    public static var _attributeType: AttributeType { .float }
    public static var _absent: Float { 0 }
    public init?(_stored: SQLValue) {
        guard let value = _stored.doubleValue else { return nil }
        self = Float(value)
    }
    public var _stored: SQLValue { .real(Double(self)) }
}

extension Date: StoredScalar {
    public static var _attributeType: AttributeType { .date }
    public static var _absent: Date { Date(timeIntervalSinceReferenceDate: 0) }
    public init?(_stored: SQLValue) {
        guard let value = _stored.doubleValue else { return nil }
        self.init(timeIntervalSinceReferenceDate: value)
    }
    public var _stored: SQLValue { .real(timeIntervalSinceReferenceDate) }
}

extension UUID: StoredScalar {
    public static var _attributeType: AttributeType { .uuid }
    public static var _absent: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
    public init?(_stored: SQLValue) {
        guard case .blob(let bytes) = _stored, bytes.count == 16 else { return nil }
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
    public var _stored: SQLValue { withUnsafeBytes(of: uuid) { .blob([UInt8]($0)) } }
}

extension Data: StoredScalar {
    public static var _attributeType: AttributeType { .binaryData }
    public static var _absent: Data { Data() }
    public init?(_stored: SQLValue) {
        guard case .blob(let bytes) = _stored else { return nil }
        self.init(bytes)
    }
    public var _stored: SQLValue { .blob([UInt8](self)) }
}

extension URL: StoredScalar {
    public static var _attributeType: AttributeType { .uri }
    public static var _absent: URL { URL(fileURLWithPath: "/") }
    public init?(_stored: SQLValue) {
        guard case .text(let text) = _stored else { return nil }
        self.init(string: text)
    }
    public var _stored: SQLValue { .text(absoluteString) }
}

extension Decimal: StoredScalar {
    public static var _attributeType: AttributeType { .decimal }
    public static var _absent: Decimal { 0 }
    public init?(_stored: SQLValue) {
        switch _stored {
        case .integer(let value): self.init(value)
        case .real(let value):
            guard value.isFinite, let exact = Decimal(string: "\(value)", locale: Locale(identifier: "en_US_POSIX"))
            else {
                return nil
            }
            self = exact
        default: return nil
        }
    }
    public var _stored: SQLValue {
        let text = NSDecimalNumber(decimal: self).stringValue
        return Int64(text).map { .integer($0) } ?? .real(Double(text) ?? .nan)
    }
}

extension Optional: StoredScalar where Wrapped: StoredScalar {
    public static var _attributeType: AttributeType { Wrapped._attributeType }
    public static var _isOptional: Bool { true }
    public static var _absent: Wrapped? { nil }
    public init?(_stored: SQLValue) {
        if case .null = _stored {
            self = .none
        } else {
            self = Wrapped(_stored: _stored)
        }
    }
    public var _stored: SQLValue { self?._stored ?? .null }
}
