import Foundation
import SQLite
import StoreModel

/// The value of an attribute, as both stacks exchange it with the format.
public indirect enum AttributeValue: Sendable, Hashable {
    case bool(Bool)
    /// 16, 32 and 64 bit integers.
    case integer(Int64)
    /// Doubles, and floats as the double that the column holds.
    case double(Double)
    case decimal(Decimal)
    case string(String)
    case date(Date)
    case uuid(UUID)
    /// The absolute string as it stands in the column: it may not be a valid URL.
    case uri(String)
    case data(Data)
    /// A transformable's archive, as it stands in the column.
    case transformable(Data)
    /// The leaves that have a value, by name.
    case composite([String: AttributeValue])
    /// A reference to an external file that is not there.
    case missingExternalData(name: String)
    /// A column whose storage class does not fit the attribute: shown as it is, never written back.
    case unexpected(SQLValue)
}

extension AttributeValue {
    /// Whether both are of one kind and equal, texts byte by byte.
    public static func == (a: AttributeValue, b: AttributeValue) -> Bool {
        switch (a, b) {
        case (.bool(let a), .bool(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.double(let a), .double(let b)): a == b
        case (.decimal(let a), .decimal(let b)): a == b
        case (.string(let a), .string(let b)), (.uri(let a), .uri(let b)): a.utf8.elementsEqual(b.utf8)
        case (.date(let a), .date(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.data(let a), .data(let b)), (.transformable(let a), .transformable(let b)): a == b
        case (.composite(let a), .composite(let b)): a == b
        case (.missingExternalData(let a), .missingExternalData(let b)): a == b
        case (.unexpected(let a), .unexpected(let b)): a == b
        default: false
        }
    }
}
