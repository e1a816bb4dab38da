import Foundation

/// A value of a property list, as a tree.
///
/// Unlike Foundation's bridged objects this tells a Boolean from a number and shows the UIDs of keyed archives.
public indirect enum PropertyListNode: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// An integer above `Int64.max`; smaller ones are always `integer`.
    case unsigned(UInt64)
    case real(Double)
    case string(String)
    case date(Date)
    case data(Data)
    /// A reference into the `$objects` of a keyed archive.
    case uid(UInt64)
    case array([PropertyListNode])
    case dictionary(PropertyListDictionary)
    case set([PropertyListNode])

    /// The text, if this is a string.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The number, if this is an integer or a Boolean (1 or 0).
    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .bool(let value): value ? 1 : 0
        default: nil
        }
    }

    /// The number, if this is a real or an integer.
    public var real: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        default: nil
        }
    }

    /// The truth value, if this is a Boolean or an integer (0 is false).
    public var bool: Bool? {
        switch self {
        case .bool(let value): value
        case .integer(let value): value != 0
        default: nil
        }
    }

    /// The bytes, if this is data.
    public var data: Data? {
        if case .data(let value) = self { value } else { nil }
    }

    /// The point in time, if this is a date.
    public var date: Date? {
        if case .date(let value) = self { value } else { nil }
    }

    /// The elements, if this is an array or a set.
    public var elements: [PropertyListNode]? {
        switch self {
        case .array(let value), .set(let value): value
        default: nil
        }
    }

    /// The entries, if this is a dictionary.
    public var dictionary: PropertyListDictionary? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// The value of a key, if this is a dictionary that has it.
    public subscript(key: String) -> PropertyListNode? {
        dictionary?[key]
    }
}
