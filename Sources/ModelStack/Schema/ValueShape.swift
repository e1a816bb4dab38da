import Foundation
import KeyedArchive
import SQLite
import StoreModel

/// How a value of a Swift type stands in columns (Format, section 10).
enum ValueShape {
    /// One column of its own type.
    case scalar
    /// An enumeration's raw value, in the one element of a composite.
    case rawValue
    /// The stored properties of a Codable structure, each in a column.
    case composite([String])
    /// A keyed archive whose root is data with JSON in it.
    case archive

    struct Result {
        var coding = ValueShape.scalar
        var attribute: AttributeDescription?
        var problem: String?
    }

    static func of(_ type: Any.Type, name: String) -> Result {
        let (inner, isOptional) = ShapeProperty.unwrapped(type)
        if let scalar = inner as? any StoredScalar.Type {
            var attribute = AttributeDescription(name: name, type: scalar._attributeType, isOptional: isOptional)
            attribute.valueClassName = className(scalar._attributeType)
            return Result(coding: .scalar, attribute: attribute)
        }
        if let raw = inner as? any RawRepresentable.Type, inner is any Codable.Type, let scalar = rawType(raw) {
            var attribute = composite(name, isOptional)
            attribute.userInfo = ["EnumType": .bool(true)]
            attribute.elements = [element(name, scalar._attributeType)]
            return Result(coding: .rawValue, attribute: attribute)
        }
        guard let codable = inner as? any Codable.Type else {
            return Result(problem: "\(inner) is neither Codable nor a model")
        }
        if inner is any AnyCollectionType.Type {
            var attribute = AttributeDescription(name: name, type: .transformable, isOptional: isOptional)
            attribute.valueClassName = "\(inner)"
            attribute.valueTransformerName = "NSSecureUnarchiveFromData"
            return Result(coding: .archive, attribute: attribute)
        }
        do {
            let leaves = try LeafProbe.leaves(of: codable)
            guard !leaves.isEmpty else {
                return Result(problem: "\(inner) has no stored properties, or is an enumeration without raw values")
            }
            var attribute = composite(name, isOptional)
            attribute.elements = leaves.map { element($0.name, $0.type) }
            return Result(coding: .composite(leaves.map(\.name)), attribute: attribute)
        } catch {
            return Result(problem: "\(inner) cannot be taken apart into columns: \(error)")
        }
    }

    private static func composite(_ name: String, _ isOptional: Bool) -> AttributeDescription {
        var attribute = AttributeDescription(name: name, type: .composite, isOptional: isOptional)
        attribute.valueClassName = "NSDictionary"
        return attribute
    }

    private static func element(_ name: String, _ type: AttributeType) -> AttributeDescription {
        var attribute = AttributeDescription(name: name, type: type, isOptional: true)
        attribute.valueClassName = className(type)
        return attribute
    }

    private static func rawType<R: RawRepresentable>(_ type: R.Type) -> (any StoredScalar.Type)? {
        R.RawValue.self as? any StoredScalar.Type
    }

    private static func className(_ type: AttributeType) -> String? {
        switch type {
        case .string: "NSString"
        case .date: "NSDate"
        case .uuid: "NSUUID"
        case .binaryData: "NSData"
        case .uri: "NSURL"
        case .decimal: "NSDecimalNumber"
        case .composite: "NSDictionary"
        case .transformable, .undefined, .objectID: nil
        default: "NSNumber"
        }
    }

    // MARK: Values

    /// The columns' values. What cannot be encoded gives NULL, which a mandatory attribute's validation names.
    func encode<T: Codable>(_ value: T, count: Int) -> [SQLValue] {
        let none = [SQLValue](repeating: .null, count: count)
        var unwrapped: Any = value
        if let optional = value as? any AnyOptionalType {
            guard let inner = optional.wrappedValue else { return none }
            unwrapped = inner
        }
        switch self {
        case .scalar: return [(unwrapped as? any StoredScalar)?._stored ?? .null]
        case .rawValue:
            guard let raw = unwrapped as? any RawRepresentable, let scalar = Self.raw(raw) as? any StoredScalar else {
                return none
            }
            return [scalar._stored]
        case .composite(let names):
            guard let codable = unwrapped as? any Codable, let leaves = try? RowEncoder.encode(codable) else {
                return none
            }
            return names.map { leaves[$0] ?? .null }
        case .archive:
            guard let json = try? JSONEncoder().encode(value), let archive = try? Self.archive(json) else {
                return none
            }
            return [.blob([UInt8](archive))]
        }
    }

    private static func raw<R: RawRepresentable>(_ value: R) -> Any { value.rawValue }

    /// The value; nil where the columns hold none of the type. An optional without columns' values is nil inside.
    func decode<T: Codable>(_ stored: [SQLValue], as type: T.Type) -> T? {
        let (inner, isOptional) = ShapeProperty.unwrapped(type)
        if isOptional, stored.allSatisfy(\.isNull), let none = Optional<Never>.none as? T { return none }
        switch self {
        case .scalar:
            return (inner as? any StoredScalar.Type)?.init(_stored: stored.first ?? .null) as? T
        case .rawValue:
            guard let raw = inner as? any RawRepresentable.Type else { return nil }
            return Self.make(raw, stored.first ?? .null) as? T
        case .composite(let names):
            guard let codable = inner as? any Codable.Type else { return nil }
            let leaves = Dictionary(zip(names, stored), uniquingKeysWith: { first, _ in first })
            return (try? RowDecoder.decode(codable, leaves)) as? T
        case .archive:
            guard case .blob(let bytes) = stored.first ?? .null, let json = try? Self.unarchive(Data(bytes)) else {
                return nil
            }
            return try? JSONDecoder().decode(type, from: json)
        }
    }

    private static func make<R: RawRepresentable>(_ type: R.Type, _ stored: SQLValue) -> Any? {
        guard let scalar = R.RawValue.self as? any StoredScalar.Type,
            let raw = scalar.init(_stored: stored) as? R.RawValue
        else { return nil }
        return R(rawValue: raw)
    }

    // MARK: Archives

    private static func archive(_ json: Data) throws -> Data {
        var archiver = KeyedArchiver()
        let root = archiver.value(.data(json))
        return try archiver.archive(root: root)
    }

    private static func unarchive(_ data: Data) throws -> Data? {
        try KeyedArchive(data: data).root?.data
    }
}
