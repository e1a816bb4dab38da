import Foundation
import SQLite

/// How messages name an object that no row has yet: its key says nothing to anybody, its values do.
public enum NewObjectName {
    private static let maximumValues = 3

    /// `a new Book (pages 3, title 'x')`.
    /// - Parameter value: the value of a column, by its index into the entity's columns.
    public static func text(_ entity: EntityLayout, _ value: (Int) -> SQLValue?) -> String {
        let shown = entity.attributes.compactMap { attribute -> String? in
            guard let leaf = attribute.leaf, let column = leaf.column, let value = value(column) else { return nil }
            return text(value, leaf).map { "\(attribute.name) \($0)" }
        }
        let values = shown.prefix(maximumValues).joined(separator: ", ")
        return "a new \(entity.name)" + (values.isEmpty ? "" : " (\(values))")
    }

    /// A value as a person would write it; nil for none, and for what is no text or number.
    static func text(_ value: SQLValue, _ leaf: LeafLayout) -> String? {
        if leaf.isExternal { return nil }
        return switch ValueCoding.decode(value, as: leaf, external: ExternalData(storePath: "/")) {
        case .bool(let value)?: "\(value)"
        case .integer(let value)?: "\(value)"
        case .double(let value)?: "\(value)"
        case .decimal(let value)?: "\(value)"
        case .string(let value)?, .uri(let value)?: value.isEmpty ? nil : "'\(value.prefix(40))'"
        case .date(let value)?: DateText.text(value)
        case .uuid(let value)?: value.uuidString
        default: nil
        }
    }
}
