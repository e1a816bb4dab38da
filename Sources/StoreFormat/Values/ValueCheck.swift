import Foundation
import SQLite
import StoreModel

/// What is wrong with a value that a store holds: another hand may have written it.
///
/// Properties cannot throw, so they show what can be shown; this says what they could not.
public enum ValueCheck {
    /// Why an attribute's stored value is none of its type; nil where nothing is wrong.
    /// - Parameter object: the object, as messages name it.
    /// - Returns: `StoreError` `MissingValue`, `InvalidValue`, `InvalidRawValue`, `ExternalData` or `TransformerUnknown`.
    public static func problem(
        _ value: AttributeValue?, of attribute: AttributeLayout, in object: ObjectReference
    ) -> StoreError? {
        let path = "\(object).\(attribute.name)"
        guard let value else {
            let isFree = attribute.description.isOptional || attribute.description.isDerived
            return isFree || attribute.isComposite ? nil : missing(path)
        }
        if case .composite(let leaves) = value {
            for leaf in attribute.leaves {
                guard let value = leaves[leaf.name] else { continue }
                if let problem = problem(value, leaf, attribute.description, "\(path).\(leaf.name)") { return problem }
            }
            return enumerationProblem(leaves, attribute.description, path)
        }
        return attribute.leaf.flatMap { problem(value, $0, attribute.description, path) }
    }

    /// The error of a mandatory attribute without a value.
    public static func missing(_ path: String) -> StoreError {
        StoreError(.missingValue, "\(path) is mandatory, and the store has no value for it", way: "set it")
    }

    /// The error of a value that is none of its attribute's type.
    public static func invalid(_ path: String, _ what: String) -> StoreError {
        StoreError(.invalidValue, "\(path) holds \(what)", way: "set it anew; until then the store keeps what it has")
    }

    /// The error of a raw value that an enumeration does not have.
    public static func invalidRawValue(_ path: String, _ value: String, _ type: String) -> StoreError {
        StoreError(
            .invalidRawValue, "\(path) holds \(value), which is no case of \(type)",
            way: "add the case, or set the property anew; until then the store keeps what it has")
    }

    private static func problem(
        _ value: AttributeValue, _ leaf: LeafLayout, _ attribute: AttributeDescription, _ path: String
    ) -> StoreError? {
        switch (leaf.type, value) {
        case (_, .unexpected(let raw)): return invalid(path, shown(raw) + ", and is \(leaf.type)")
        case (_, .missingExternalData(let name)):
            return StoreError(
                .externalData, "\(path): its external file \(name) is missing",
                way: "put the file back from a backup, or set the property anew")
        case (.integer16, .integer(let number)) where Int16(exactly: number) == nil,
            (.integer32, .integer(let number)) where Int32(exactly: number) == nil:
            return invalid(path, "\(number), which does not fit \(leaf.type)")
        case (.integer16, .double(let number)), (.integer32, .double(let number)), (.integer64, .double(let number)):
            return invalid(path, "\(number), and is \(leaf.type)")
        case (.uri, .uri(let text)) where URL(string: text) == nil:
            return invalid(path, "'\(text.prefix(80))', which is no URL")
        case (.transformable, .transformable(let data)):
            do {
                _ = try TransformableCoding.object(data, attribute, path: path)
                return nil
            } catch let error as StoreError {
                return error
            } catch {
                return invalid(path, "\(error)")
            }
        default: return nil
        }
    }

    /// An enumeration without raw values has its case's name in the column of that case, and NULL in the others.
    private static func enumerationProblem(
        _ leaves: [String: AttributeValue], _ attribute: AttributeDescription, _ path: String
    ) -> StoreError? {
        guard attribute.userInfo["EnumType"] == .bool(true), attribute.userInfo["enum"] != nil else { return nil }
        guard leaves.count == 1, let (name, value) = leaves.first else {
            return invalid(path, "several cases at once: \(leaves.keys.sorted().joined(separator: ", "))")
        }
        if case .string(let text) = value, text != name { return invalidRawValue(path, "'\(text)' for \(name)", "it") }
        return nil
    }

    /// A column's value for a message.
    public static func shown(_ raw: SQLValue) -> String {
        switch raw {
        case .null: "NULL"
        case .integer(let value): "the integer \(value)"
        case .real(let value): "the number \(value)"
        case .text(let value): "the text '\(value.prefix(80))'"
        case .blob(let value): "\(value.count) bytes"
        }
    }
}
