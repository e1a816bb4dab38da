import Foundation
import StoreModel
import Varlink

/// Attributes and relationships of a model as JSON: what is set, nothing left out.
enum DescriptionJSON {
    static func attribute(_ attribute: AttributeDescription) -> JSON {
        var object: JSONObject = [
            "name": .string(attribute.name), "type": .string("\(attribute.type)"),
            "optional": .bool(attribute.isOptional),
        ]
        object["transient"] = attribute.isTransient ? true : nil
        object["default"] = attribute.defaultValue.map(value)
        object["class"] = attribute.valueClassName.map { .string($0) }
        object["transformer"] = attribute.valueTransformerName.map { .string($0) }
        object["externalStorage"] = attribute.allowsExternalBinaryDataStorage ? true : nil
        object["preservedOnDeletion"] = attribute.preservesValueInHistoryOnDeletion ? true : nil
        object["cloudEncryption"] = attribute.allowsCloudEncryption ? true : nil
        object["indexed"] = attribute.isIndexed ? true : nil
        object["spotlight"] = attribute.isIndexedBySpotlight ? true : nil
        object["minimum"] = attribute.minimum.map(value)
        object["maximum"] = attribute.maximum.map(value)
        object["regularExpression"] = attribute.regularExpression.map { .string($0) }
        object["validations"] =
            attribute.validations.isEmpty ? nil : .array(attribute.validations.map { .string($0.predicateFormat) })
        object["derivation"] = attribute.derivation.map { .string($0.format) }
        object["elements"] = attribute.elements.isEmpty ? nil : .array(attribute.elements.map { self.attribute($0) })
        object["composite"] = attribute.compositeName.map { .string($0) }
        object["hashModifier"] = attribute.versionHashModifier.map { .string($0) }
        object["renamingIdentifier"] = attribute.renamingIdentifier.map { .string($0) }
        object["userInfo"] = userInfo(attribute.userInfo)
        return .object(object)
    }

    static func relationship(_ relationship: RelationshipDescription) -> JSON {
        var object: JSONObject = [
            "name": .string(relationship.name), "destination": .string(relationship.destinationEntityName),
            "inverse": relationship.inverseName.map { .string($0) } ?? .null, "toMany": .bool(relationship.isToMany),
            "optional": .bool(relationship.isOptional), "deleteRule": .string("\(relationship.deleteRule)"),
        ]
        object["transient"] = relationship.isTransient ? true : nil
        object["ordered"] = relationship.isOrdered ? true : nil
        object["minCount"] = relationship.minCount > 0 ? JSON(relationship.minCount) : nil
        object["maxCount"] = relationship.maxCount > 1 ? JSON(relationship.maxCount) : nil
        object["hashModifier"] = relationship.versionHashModifier.map { .string($0) }
        object["renamingIdentifier"] = relationship.renamingIdentifier.map { .string($0) }
        object["userInfo"] = userInfo(relationship.userInfo)
        return .object(object)
    }

    private static func userInfo(_ info: [String: ModelValue]) -> JSON? {
        info.isEmpty ? nil : value(.dictionary(info))
    }

    static func value(_ value: ModelValue) -> JSON {
        switch value {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        case .decimal(let value): .string("\(value)")
        case .string(let value), .url(let value): .string(value)
        case .date(let value): DateText.text(value).map { .string($0) } ?? .double(value.timeIntervalSinceReferenceDate)
        case .data(let value): .string(value.base64EncodedString())
        case .uuid(let value): .string(value.uuidString)
        case .array(let values): .array(values.map { self.value($0) })
        case .dictionary(let values):
            .object(JSONObject(values.sorted { $0.key < $1.key }.map { ($0.key, self.value($0.value)) }))
        case .archived(let name, let archive):
            ["$class": .string(name), "$archive": .string(archive.base64EncodedString())]
        }
    }
}
