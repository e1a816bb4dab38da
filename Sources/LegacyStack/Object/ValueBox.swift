import SQLite
import StoreFormat
import StoreModel

/// Attribute values as the objects that `value(forKey:)` gives and takes.
enum ValueBox {
    /// The object; numbers and booleans as `NSNumber`, a decimal as `NSDecimalNumber`.
    static func object(_ value: AttributeValue?, _ attribute: SchemaAttribute) -> Any? {
        object(value, attribute.description)
    }

    static func object(_ value: AttributeValue?, _ attribute: AttributeDescription) -> Any? {
        switch value {
        case nil, .missingExternalData?: nil
        case .bool(let value)?: NSNumber(value: value)
        case .integer(let value)?: NSNumber(value: value)
        case .double(let value)?: NSNumber(value: value)
        case .decimal(let value)?: NSDecimalNumber(decimal: value)
        case .string(let value)?: value
        case .date(let value)?: value
        case .uuid(let value)?: value
        case .uri(let value)?: URL(string: value).map { $0 as Any } ?? value
        case .data(let value)?: value
        // What cannot be read is shown as the bytes that it is.
        case .transformable(let value)?:
            (try? TransformableCoding.object(value, attribute, path: attribute.name)) ?? value
        case .composite(let leaves)?:
            Dictionary(
                leaves.compactMap { name, value in
                    object(value, AttributeDescription(name: name, type: .undefined)).map { (name, $0) }
                }, uniquingKeysWith: { first, _ in first }) as [String: Any]
        case .unexpected(let raw)?: natural(raw)
        }
    }

    private static func natural(_ raw: SQLValue) -> Any? {
        switch raw {
        case .null: nil
        case .integer(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .text(let value): value
        case .blob(let value): Data(value)
        }
    }

    /// What an object holds after being given `object`.
    static func slot(_ object: Any?, _ attribute: SchemaAttribute) -> PropertySlot {
        guard let object, !(object is NSNull) else { return attribute.isComposite ? .attribute(nil) : .stored(.null) }
        do {
            if attribute.isComposite { return .attribute(try composite(object, attribute)) }
            guard let leaf = attribute.leaf else { return .stored(.null) }
            // Data is an archive already, unless the program's own transformer takes it.
            if leaf.type == .transformable,
                !(object is Data) || TransformableCoding.hasTransformer(attribute.description)
            {
                let data = try TransformableCoding.data(object, attribute.description, path: leaf.path)
                return .stored(.blob([UInt8](data)))
            }
            return try slot(try value(object, leaf), leaf, attribute)
        } catch let error as StoreError {
            return .invalid(error)
        } catch {
            return .invalid(StoreError(.typeMismatch, "\(attribute.name): \(error)"))
        }
    }

    /// What an object holds after being given an attribute's value.
    static func slot(_ value: AttributeValue?, _ leaf: LeafLayout, _ attribute: SchemaAttribute) throws -> PropertySlot
    {
        switch value {
        case nil: return .stored(.null)
        // A large value goes to a file, which is written with the save.
        case .data? where leaf.isExternal: return .attribute(value)
        default: return .stored(try ValueCoding.encode(value, as: leaf))
        }
    }

    private static func composite(_ object: Any, _ attribute: SchemaAttribute) throws -> AttributeValue? {
        guard let values = object as? [String: Any] else {
            throw StoreError(
                .typeMismatch, "\(attribute.name) is composite: \(object)", way: "give a dictionary of its parts")
        }
        var leaves: [String: AttributeValue] = [:]
        for (name, object) in values {
            guard let leaf = attribute.leaves.first(where: { $0.name == name }) else {
                throw StoreError(
                    .unknownKey, "\(attribute.name) has no part \(name)",
                    way: "parts: \(attribute.leaves.map(\.name).joined(separator: ", "))")
            }
            if !(object is NSNull) { leaves[name] = try value(object, leaf) }
        }
        return leaves.isEmpty ? nil : .composite(leaves)
    }

    private static func mismatch(_ leaf: LeafLayout, _ object: Any) -> StoreError {
        StoreError(
            .typeMismatch, "\(leaf.path) is \(leaf.type): \(object) (\(type(of: object)))",
            way: "give a value of that type")
    }

    static func value(_ object: Any, _ leaf: LeafLayout) throws -> AttributeValue {
        switch leaf.type {
        case .boolean:
            if let value = object as? Bool { return .bool(value) }
            if let number = object as? NSNumber { return .bool(number.boolValue) }
        case .integer16, .integer32, .integer64:
            if let value = object as? Int { return .integer(Int64(value)) }
            if let value = ExactNumber.integer(object) { return .integer(value) }
        case .double, .float:
            if let value = object as? Double ?? ExactNumber.double(object) {
                return .double(leaf.type == .float ? ValueCoding.float(value) : value)
            }
        case .decimal:
            if let value = object as? Decimal { return .decimal(value) }
            if let value = ExactNumber.decimal(object) { return .decimal(value) }
        case .string:
            if let text = object as? String { return .string(text) }
        case .date:
            if let date = object as? Date { return .date(date) }
        case .uuid:
            if let uuid = object as? UUID { return .uuid(uuid) }
        case .uri:
            if let url = object as? URL { return .uri(url.absoluteString) }
            if let text = object as? String { return .uri(text) }
        case .binaryData:
            if let data = object as? Data { return .data(data) }
        case .transformable:
            if let data = object as? Data { return .transformable(data) }
        case .undefined, .objectID, .composite: break
        }
        if let value = object as? AttributeValue { return value }
        throw mismatch(leaf, object)
    }
}
