import Foundation
import SQLite
import StoreFormat
import StoreModel

/// How a value of a Swift type stands in columns (Format, section 10).
enum ValueShape {
    /// One column of its own type.
    case scalar
    /// An enumeration's raw value, in the one element of a composite.
    case rawValue
    /// An enumeration without raw values: a column for each case, of which the active one holds the case's name, or the
    /// associated values as JSON.
    case cases(EnumCases)
    /// The stored properties of a Codable structure, each in a column.
    case composite([String])
    /// A keyed archive whose root is data with JSON in it.
    case archive
    /// What a transformer makes of the value.
    case transformable(AttributeDescription)

    struct Result {
        var coding = ValueShape.scalar
        var attribute: AttributeDescription?
        var problem: String?
    }

    /// - Parameters:
    ///   - transformer: the name of the property's transformer, where it has one.
    ///   - hasDefault: whether the class gives the property a value.
    static func of(_ type: Any.Type, name: String, transformer: String?, hasDefault: Bool) -> Result {
        let (inner, isOptional) = ShapeProperty.unwrapped(type)
        if let transformer {
            var attribute = AttributeDescription(name: name, type: .transformable, isOptional: isOptional)
            attribute.valueClassName = "\(inner)"
            attribute.valueTransformerName = transformer
            guard isOptional || hasDefault || canMake(inner) else {
                return Result(
                    problem:
                        "a \(inner) that is not optional needs a default value, to be shown where the store has none")
            }
            return Result(coding: .transformable(attribute), attribute: attribute)
        }
        if let scalar = inner as? any StoredScalar.Type {
            var attribute = AttributeDescription(name: name, type: scalar._attributeType, isOptional: isOptional)
            attribute.valueClassName = className(scalar._attributeType)
            return Result(coding: .scalar, attribute: attribute)
        }
        guard let codable = inner as? any Codable.Type else {
            return Result(problem: "\(inner) is neither Codable nor a model")
        }
        if let raw = inner as? any RawRepresentable.Type, let scalar = rawType(raw) {
            var attribute = composite(name, isOptional)
            attribute.userInfo = ["EnumType": .bool(true)]
            attribute.elements = [element(name, scalar._attributeType)]
            guard isOptional || hasDefault || canMake(inner) else {
                return Result(problem: "no value of \(inner) can be made for an unknown raw value")
            }
            return Result(coding: .rawValue, attribute: attribute)
        }
        if let cases = EnumCases(inner) { return enumeration(cases, inner, name, isOptional, hasDefault) }
        if inner is any AnyCollectionType.Type {
            var attribute = AttributeDescription(name: name, type: .transformable, isOptional: isOptional)
            attribute.valueClassName = "\(inner)"
            attribute.valueTransformerName = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
            guard canMake(inner) else { return Result(problem: "no empty value of \(inner) can be made") }
            return Result(coding: .archive, attribute: attribute)
        }
        do {
            let leaves = try TypeProbe.leaves(of: codable)
            guard !leaves.isEmpty else { return Result(problem: "\(inner) has no stored properties") }
            var attribute = composite(name, isOptional)
            attribute.elements = leaves.map { element($0.name, $0.type) }
            return Result(coding: .composite(leaves.map(\.name)), attribute: attribute)
        } catch {
            return Result(problem: "\(inner) cannot be taken apart into columns: \(error)")
        }
    }

    private static func enumeration(
        _ cases: EnumCases, _ type: Any.Type, _ name: String, _ isOptional: Bool, _ hasDefault: Bool
    ) -> Result {
        guard !cases.names.isEmpty, hasDefault || isOptional || canMake(type) else {
            return Result(problem: "no value of \(type) can be made for an unknown case")
        }
        var attribute = composite(name, isOptional)
        attribute.userInfo = ["EnumType": .bool(true), "enum": .array(cases.names.map { .string($0) })]
        attribute.elements =
            cases.withPayload.map { element($0, .binaryData) } + cases.plain.map { element($0, .string) }
        return Result(coding: .cases(cases), attribute: attribute)
    }

    /// Whether there is a value to show where the columns hold none of the type.
    private static func canMake(_ type: Any.Type) -> Bool {
        guard let codable = type as? any Codable.Type else { return false }
        return (try? TypeProbe.value(of: codable)) != nil
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
}
