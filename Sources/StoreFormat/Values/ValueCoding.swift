import Foundation
import SQLite
import StoreModel

/// How attribute values stand in columns (Format, section 3.2).
public enum ValueCoding {
    /// Reads a column of a statement's row as the attribute's type. Nil for NULL.
    public static func decode(
        _ row: Statement, _ column: Int, as leaf: LeafLayout, external: ExternalData
    ) -> AttributeValue? {
        // Long data is copied once.
        if row.isBlob(column), !leaf.isExternal {
            if leaf.type == .binaryData { return .data(row.withBlob(column) { Data($0) }) }
            if leaf.type == .transformable { return .transformable(row.withBlob(column) { Data($0) }) }
        }
        return decode(row.value(column), as: leaf, external: external)
    }

    /// Reads a column's value as the attribute's type. Nil for NULL.
    public static func decode(_ raw: SQLValue, as leaf: LeafLayout, external: ExternalData) -> AttributeValue? {
        if case .null = raw { return nil }
        switch leaf.type {
        case .boolean:
            if let number = raw.doubleValue { return .bool(number != 0) }
        case .integer16, .integer32, .integer64:
            if case .integer(let value) = raw { return .integer(value) }
            if case .real(let value) = raw { return .double(value) }
        case .double, .float:
            if let value = raw.doubleValue { return .double(value) }
        case .date:
            if let value = raw.doubleValue { return .date(Date(timeIntervalSinceReferenceDate: value)) }
        case .decimal:
            if let value = decimal(raw) { return .decimal(value) }
        case .string:
            if case .text(let value) = raw { return .string(value) }
        case .uri:
            if case .text(let value) = raw { return .uri(value) }
        case .uuid:
            if case .blob(let bytes) = raw, let value = uuid(bytes) { return .uuid(value) }
        case .binaryData:
            if case .blob(let bytes) = raw {
                return leaf.isExternal ? external.decode(bytes) : .data(Data(bytes))
            }
            if case .text(let text) = raw { return .data(Data(text.utf8)) }
        case .transformable:
            if case .blob(let bytes) = raw { return .transformable(Data(bytes)) }
            if case .text(let text) = raw { return .transformable(Data(text.utf8)) }
            if case .integer(let number) = raw { return .transformable(Data("\(number)".utf8)) }
            if case .real(let number) = raw { return .transformable(Data("\(number)".utf8)) }
        case .undefined, .objectID, .composite:
            break
        }
        return .unexpected(raw)
    }

    /// The column's value for an attribute's value; the attribute's ranges and types are checked. Data of an attribute
    /// with external storage gets the form that stays in the row: only a save writes files.
    /// - Throws: `StoreError` with the code `TypeMismatch` or `PrecisionLoss`, naming the attribute.
    public static func encode(_ value: AttributeValue?, as leaf: LeafLayout) throws -> SQLValue {
        guard let value else { return .null }
        switch (leaf.type, value) {
        case (.boolean, .bool(let value)): return .integer(value ? 1 : 0)
        case (.integer16, .integer(let value)): return try ranged(value, Int16.self, leaf)
        case (.integer32, .integer(let value)): return try ranged(value, Int32.self, leaf)
        case (.integer64, .integer(let value)): return .integer(value)
        case (.double, .double(let value)), (.float, .double(let value)):
            guard !value.isNaN else { throw StoreError.typeMismatch(leaf, "not a number, which SQLite stores as NULL") }
            guard leaf.type != .float || value.isInfinite || Float(value).isFinite else {
                throw StoreError.typeMismatch(leaf, "\(value) is beyond what a Float holds")
            }
            let kept = leaf.type == .float ? float(value) : value
            // SQLite keeps no negative zero: what was just saved reads as it will be read.
            return .real(kept == 0 ? 0 : kept)
        case (.date, .date(let value)):
            let seconds = value.timeIntervalSinceReferenceDate
            guard seconds.isFinite else { throw StoreError.typeMismatch(leaf, "\(seconds), which is no date") }
            return .real(seconds == 0 ? 0 : seconds)
        case (.decimal, .decimal(let value)): return try encode(value, leaf)
        case (.string, .string(let value)): return .text(value)
        case (.uri, .uri(let value)): return .text(value)
        case (.uuid, .uuid(let value)):
            return withUnsafeBytes(of: value.uuid) { .blob([UInt8]($0)) }
        case (.binaryData, .data(let value)):
            return .blob(leaf.isExternal ? [1] + value : [UInt8](value))
        case (.transformable, .transformable(let value)): return .blob([UInt8](value))
        default:
            throw StoreError.typeMismatch(leaf, "\(value)")
        }
    }

    /// Whether a number lies within what the attribute's integer type holds; true for every other type.
    public static func isInRange(_ column: SQLValue, _ leaf: LeafLayout) -> Bool {
        switch leaf.type {
        case .integer16: column.integerValue.map { Int16(exactly: $0) != nil } ?? false
        case .integer32: column.integerValue.map { Int32(exactly: $0) != nil } ?? false
        case .integer64: column.integerValue != nil
        default: true
        }
    }

    /// What a column of floats keeps of a number: the double of the nearest `Float` (Format, section 3.2).
    public static func float(_ value: Double) -> Double { Double(Float(value)) }

    private static func ranged<T: FixedWidthInteger>(_ value: Int64, _: T.Type, _ leaf: LeafLayout) throws -> SQLValue {
        guard T(exactly: value) != nil else {
            throw StoreError.typeMismatch(leaf, "\(value) does not fit in \(T.bitWidth) bits")
        }
        return .integer(value)
    }

    /// A decimal column has NUMERIC affinity: SQLite keeps an integer or a double, whatever is bound. A decimal that
    /// neither holds exactly is refused rather than rounded.
    private static func encode(_ value: Decimal, _ leaf: LeafLayout) throws -> SQLValue {
        guard !value.isNaN else { throw StoreError.typeMismatch(leaf, "not a number") }
        if let column = column(value) { return column }
        let text = NSDecimalNumber(decimal: value).stringValue
        throw StoreError(
            .precisionLoss, "\(leaf.path): the decimal \(text) has more digits than a Core Data store keeps",
            way: "round it to 15 digits, or keep it in a string attribute")
    }

    /// The integer or double that holds a decimal exactly; nil where neither does.
    public static func column(_ value: Decimal) -> SQLValue? {
        guard !value.isNaN else { return nil }
        let text = NSDecimalNumber(decimal: value).stringValue
        if let integer = Int64(text) { return .integer(integer) }
        guard let double = Double(text), decimal(.real(double)) == value else { return nil }
        return .real(double)
    }

    /// The decimal with the shortest digits that read back as the column's number.
    public static func decimal(_ raw: SQLValue) -> Decimal? {
        switch raw {
        case .integer(let value): return Decimal(value)
        case .real(let value): return Decimal(shortest: value)
        case .text(let value): return Decimal(string: value, locale: posix)
        default: return nil
        }
    }

    private static let posix = Locale(identifier: "en_US_POSIX")

    private static func uuid(_ bytes: [UInt8]) -> UUID? {
        guard bytes.count == 16 else { return nil }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
