import Foundation
import StoreFormat
import StoreModel
import Varlink

/// Attributes and relationships of a model as JSON: whatever the model says, nothing left out.
enum DescriptionJSON {
    /// What may be absent; false and empty say as much as nothing.
    static func text(_ value: String?) -> JSON? { value.map { .string($0) } }
    static func set(_ flag: Bool) -> JSON? { flag ? true : nil }
    static func texts(_ values: [String]) -> JSON { .array(values.map { .string($0) }) }
    static func filled(_ values: [JSON]) -> JSON? { values.isEmpty ? nil : .array(values) }

    static func attribute(_ attribute: AttributeDescription) -> JSON {
        var object: JSONObject = [
            "name": .string(attribute.name), "type": .string("\(attribute.type)"),
            "optional": .bool(attribute.isOptional),
        ]
        object["transient"] = set(attribute.isTransient)
        object["default"] = attribute.defaultValue.map(value)
        object["class"] = text(attribute.valueClassName)
        object["transformer"] = text(attribute.valueTransformerName)
        object["scalar"] = attribute.usesScalarValueType.map { .bool($0) }
        object["externalStorage"] = set(attribute.allowsExternalBinaryDataStorage)
        object["preservedOnDeletion"] = set(attribute.preservesValueInHistoryOnDeletion)
        object["cloudEncryption"] = set(attribute.allowsCloudEncryption)
        object["indexed"] = set(attribute.isIndexed)
        object["spotlight"] = set(attribute.isIndexedBySpotlight)
        object["storedInTruthFile"] = set(attribute.isStoredInTruthFile)
        object["readOnly"] = set(attribute.isReadOnly)
        object["syncable"] = attribute.isSyncable.map { .bool($0) }
        object["minimum"] = attribute.minimum.map(value)
        object["maximum"] = attribute.maximum.map(value)
        object["regularExpression"] = text(attribute.regularExpression)
        object["validations"] = filled(attribute.validations.map { .string($0.predicateFormat) })
        // In the same order, since each rule has its warning.
        object["validationWarnings"] = filled(attribute.validations.map { $0.warning.map(value) ?? .null })
        object["derivation"] = text(attribute.derivation?.hashDescription)
        object["derivationFilter"] = text(attribute.derivation?.filteringPredicateFormat)
        object["composite"] = text(attribute.compositeName)
        object["elements"] = filled(attribute.elements.map { self.attribute($0) })
        object["hashModifier"] = text(attribute.versionHashModifier)
        object["renamingIdentifier"] = text(attribute.renamingIdentifier)
        object["userInfo"] = userInfo(attribute.userInfo)
        return .object(object)
    }

    static func relationship(_ relationship: RelationshipDescription) -> JSON {
        var object: JSONObject = [
            "name": .string(relationship.name), "destination": .string(relationship.destinationEntityName),
            "inverse": relationship.inverseName.map { .string($0) } ?? .null, "toMany": .bool(relationship.isToMany),
            "optional": .bool(relationship.isOptional), "deleteRule": .string("\(relationship.deleteRule)"),
        ]
        object["inverseEntity"] = text(relationship.inverseEntityName)
        object["transient"] = set(relationship.isTransient)
        object["ordered"] = set(relationship.isOrdered)
        object["minCount"] = relationship.minCount != 0 ? JSON(relationship.minCount) : nil
        object["maxCount"] = relationship.maxCount != 0 ? JSON(relationship.maxCount) : nil
        object["spotlight"] = set(relationship.isIndexedBySpotlight)
        object["storedInTruthFile"] = set(relationship.isStoredInTruthFile)
        object["syncable"] = relationship.isSyncable.map { .bool($0) }
        object["hashModifier"] = text(relationship.versionHashModifier)
        object["renamingIdentifier"] = text(relationship.renamingIdentifier)
        object["userInfo"] = userInfo(relationship.userInfo)
        return .object(object)
    }

    static func userInfo(_ info: [String: ModelValue]) -> JSON? {
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
