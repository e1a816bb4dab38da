import Foundation
import SQLite
import StoreFormat
import StoreModel

/// Turns a predicate's constants into what the compared column holds.
enum Coercion {
    /// - Throws: `StoreError` `TypeMismatch`, naming the attribute.
    static func value(_ constant: ModelValue, for leaf: LeafLayout) throws -> SQLValue {
        if constant == .null { return .null }
        if let value = convert(constant, leaf.type) { return value }
        throw StoreError(
            .typeMismatch, "\(leaf.path) is \(leaf.type), and \(describe(constant)) is none",
            way: "compare it with a value of that type")
    }

    private static func convert(_ constant: ModelValue, _ type: AttributeType) -> SQLValue? {
        switch type {
        case .integer16, .integer32, .integer64, .double, .float: number(constant)
        case .decimal: decimal(constant)
        case .boolean: boolean(constant)
        case .date: date(constant)
        case .string, .uri: text(constant)
        case .uuid: uuid(constant)
        case .binaryData, .transformable: data(constant)
        case .undefined, .objectID, .composite: natural(constant)
        }
    }

    /// The value as SQLite would hold it, without a type to go by.
    static func natural(_ constant: ModelValue) -> SQLValue? {
        switch constant {
        case .null: .null
        case .bool(let value): .integer(value ? 1 : 0)
        case .integer(let value): .integer(value)
        case .double(let value): .real(value)
        case .decimal: decimal(constant)
        case .string(let value), .url(let value): .text(value)
        case .date(let value): .real(value.timeIntervalSinceReferenceDate)
        case .data(let value): .blob([UInt8](value))
        case .uuid(let value): withUnsafeBytes(of: value.uuid) { .blob([UInt8]($0)) }
        case .array, .dictionary, .archived: nil
        }
    }

    private static func number(_ constant: ModelValue) -> SQLValue? {
        switch constant {
        case .bool(let value): .integer(value ? 1 : 0)
        case .integer(let value): .integer(value)
        case .double(let value): .real(value)
        case .decimal: decimal(constant)
        case .date(let value): .real(value.timeIntervalSinceReferenceDate)
        case .string(let text):
            Int64(text).map { .integer($0) } ?? Double(text).flatMap { $0.isNaN ? nil : .real($0) }
        default: nil
        }
    }

    private static func decimal(_ constant: ModelValue) -> SQLValue? {
        switch constant {
        case .decimal(let value):
            let text = NSDecimalNumber(decimal: value).stringValue
            return Int64(text).map { .integer($0) } ?? Double(text).map { .real($0) }
        default: return number(constant)
        }
    }

    private static func boolean(_ constant: ModelValue) -> SQLValue? {
        switch constant {
        case .bool(let value): return .integer(value ? 1 : 0)
        case .integer, .double: return number(constant)
        case .string(let text):
            switch text.lowercased() {
            case "true", "yes", "1": return .integer(1)
            case "false", "no", "0": return .integer(0)
            default: return nil
            }
        default: return nil
        }
    }

    private static func date(_ constant: ModelValue) -> SQLValue? {
        switch constant {
        case .date(let value): return .real(value.timeIntervalSinceReferenceDate)
        case .integer, .double, .decimal: return number(constant)
        case .string(let text):
            if let number = Double(text), number.isFinite { return .real(number) }
            return DateText.parse(text).map { .real($0.timeIntervalSinceReferenceDate) }
        default: return nil
        }
    }

    static func text(_ constant: ModelValue) -> SQLValue? {
        switch constant {
        case .string(let value), .url(let value): .text(value)
        case .integer(let value): .text("\(value)")
        case .double(let value): .text("\(value)")
        case .decimal(let value): .text("\(value)")
        case .uuid(let value): .text(value.uuidString)
        default: nil
        }
    }

    private static func uuid(_ constant: ModelValue) -> SQLValue? {
        switch constant {
        case .uuid: natural(constant)
        case .string(let text): UUID(uuidString: text).flatMap { natural(.uuid($0)) }
        case .data(let value) where value.count == 16: natural(constant)
        default: nil
        }
    }

    private static func data(_ constant: ModelValue) -> SQLValue? {
        switch constant {
        case .data: natural(constant)
        case .archived(_, let archive): .blob([UInt8](archive))
        case .string(let text): Data(base64Encoded: text).map { .blob([UInt8]($0)) }
        default: nil
        }
    }

    static func describe(_ constant: ModelValue) -> String {
        switch constant {
        case .string(let text): "\"\(text.prefix(60))\""
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .null: "nil"
        default: "the given value"
        }
    }
}

/// Dates as ISO 8601 has them: a day, or a day and a time with a zone, with or without fractions of a second.
enum DateText {
    static func parse(_ text: String) -> Date? {
        for style in [
            Date.ISO8601FormatStyle(includingFractionalSeconds: true), Date.ISO8601FormatStyle(),
            Date.ISO8601FormatStyle().year().month().day(),
        ] {
            if let date = try? style.parse(text) { return date }
        }
        return nil
    }
}
