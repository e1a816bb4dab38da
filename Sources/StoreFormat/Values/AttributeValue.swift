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
