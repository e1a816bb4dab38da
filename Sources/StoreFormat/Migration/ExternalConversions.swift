import Foundation
import SQLite
import StoreModel

/// The SQL functions that values pass through whose external storage begins or ends (Format, section 3.2), and what is
/// known of the files afterwards.
final class ExternalConversions {
    private let external: ExternalData
    private(set) var missing: [String] = []

    init(_ connection: Connection, _ external: ExternalData) throws {
        self.external = external
        try connection.createFunction("COEXIST_TO_EXTERNAL", argumentCount: 1) { arguments in
            switch arguments.first {
            case .blob(let bytes)?: .blob([1] + bytes)
            case .text(let text)?: .blob([1] + Array(text.utf8))
            default: .null
            }
        }
        try connection.createFunction("COEXIST_FROM_EXTERNAL", argumentCount: 1, isDeterministic: false) {
            [weak self] arguments in
            guard case .blob(let bytes)? = arguments.first else { return arguments.first ?? .null }
            switch external.decode(bytes) {
            case .data(let data): return .blob([UInt8](data))
            case .missingExternalData(let name): self?.missing.append(name)
            default: break
            }
            return .null
        }
    }

    /// The expression in the form that the destination keeps.
    func sql(_ expression: String, _ change: AttributeMapping.StorageChange) -> String {
        switch change {
        case .same: expression
        case .toExternal: "COEXIST_TO_EXTERNAL(\(expression))"
        case .fromExternal: "COEXIST_FROM_EXTERNAL(\(expression))"
        }
    }
}

extension ModelValue {
    /// The value as a column of that kind holds it; nil if it is no value of its type.
    func column(as leaf: LeafLayout) -> SQLValue? {
        let value: AttributeValue? =
            switch (leaf.type, coerced(to: leaf.type)) {
            case (.boolean, .bool(let value)): .bool(value)
            case (_, .integer(let value)): .integer(value)
            case (_, .double(let value)): .double(value)
            case (_, .decimal(let value)): .decimal(value)
            case (_, .string(let value)): .string(value)
            case (_, .date(let value)): .date(value)
            case (_, .uuid(let value)): .uuid(value)
            case (_, .url(let value)): .uri(value)
            case (.transformable, .data(let value)), (.transformable, .archived(_, let value)): .transformable(value)
            case (.binaryData, .data(let value)): .data(value)
            default: nil
            }
        guard let value else { return nil }
        // A default of any size stays in its row: a file would need one for each.
        if case .data(let data) = value, leaf.isExternal { return .blob([1] + data) }
        return try? ValueCoding.encode(value, as: leaf)
    }
}
