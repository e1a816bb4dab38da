import Foundation
import SQLite
import StoreModel

/// Constants of predicates as values of columns.
public enum PredicateConstant {
    /// The constant as a value of that type; nil where it is none.
    static func coerced(_ value: ModelValue, to type: PredicateValueType) -> ModelValue? {
        switch (type, value) {
        case (_, .null), (.undefined, _): return value
        case (.number, .bool), (.number, .integer), (.number, .decimal): return value
        case (.boolean, .bool), (.boolean, .integer), (.boolean, .decimal): return value
        case (.number, .double(let number)), (.boolean, .double(let number)): return number.isNaN ? nil : value
        case (.number, .string(let text)): return number(text)
        case (.boolean, .string(let text)):
            switch text.uppercased() {
            case "YES", "TRUE": return .bool(true)
            case "NO", "FALSE": return .bool(false)
            default: return number(text)
            }
        case (.text, .string), (.text, .url), (.date, .date), (.uuid, .uuid), (.data, .data): return value
        case (.text, .uuid(let uuid)): return .string(uuid.uuidString)
        case (.date, .string(let text)): return DateText.date(text, needsZone: false).map { .date($0) }
        case (.date, .integer), (.date, .double), (.date, .decimal):
            guard let seconds = natural(value).doubleValue, !seconds.isNaN else { return nil }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (.uuid, .string(let text)): return UUID(uuidString: text).map { .uuid($0) }
        case (.data, .archived(_, let archive)): return .data(archive)
        case (.data, .string(let text)): return Data(base64Encoded: text).map { .data($0) }
        default: return nil
        }
    }

    private static func number(_ text: String) -> ModelValue? {
        if let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), !number.isNaN else { return nil }
        return ModelValue(number, spelled: text)
    }

    /// The constant as it would stand in a column of an attribute; nil where it can never stand there.
    public static func value(_ value: ModelValue, as leaf: LeafLayout) -> SQLValue? {
        let type = PredicateValueType(leaf)
        return coerced(value, to: type == .externalData ? .data : type).map { natural($0) }
    }

    /// The value in the storage class that is its own.
    public static func natural(_ value: ModelValue) -> SQLValue {
        switch value {
        case .bool(let value): .integer(value ? 1 : 0)
        case .integer(let value): .integer(value)
        case .double(let value): .real(value)
        // What no column holds exactly is near enough for one of doubles; beside decimals it is refused.
        case .decimal(let value): ValueCoding.column(value) ?? .real(Double(value.description) ?? .nan)
        case .string(let value), .url(let value): .text(value)
        case .date(let value): .real(value.timeIntervalSinceReferenceDate)
        case .uuid(let value): withUnsafeBytes(of: value.uuid) { .blob([UInt8]($0)) }
        case .data(let value), .archived(_, let value): .blob([UInt8](value))
        case .null, .array, .dictionary: .null
        }
    }

    /// A number that arithmetic gave, as a constant again.
    static func model(_ value: SQLValue) -> ModelValue {
        switch value {
        case .null: .null
        case .integer(let value): .integer(value)
        case .real(let value): .double(value)
        case .text(let value): .string(value)
        case .blob(let value): .data(Data(value))
        }
    }

    /// An attribute's value as it stands in a column.
    public static func column(_ value: AttributeValue?) -> SQLValue {
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
