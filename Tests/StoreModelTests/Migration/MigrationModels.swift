@testable import StoreModel

/// Short forms for models that differ in one thing.
enum Short {
    static func attribute(
        _ name: String, _ type: AttributeType = .string, optional: Bool = true, was identifier: String? = nil,
        default value: ModelValue? = nil
    ) -> AttributeDescription {
        var attribute = AttributeDescription(name: name, type: type, isOptional: optional)
        attribute.renamingIdentifier = identifier
        attribute.defaultValue = value
        return attribute
    }

    static func composite(_ name: String, _ elements: AttributeDescription...) -> AttributeDescription {
        var attribute = AttributeDescription(name: name, type: .composite, isOptional: true)
        attribute.elements = elements
        return attribute
    }

    static func toOne(
        _ name: String, _ destination: String, inverse: String? = nil, optional: Bool = true, was: String? = nil
    ) -> RelationshipDescription {
        var relationship = RelationshipDescription(
            name: name, destination: destination, inverse: inverse, isOptional: optional)
        relationship.renamingIdentifier = was
        return relationship
    }

    static func toMany(
        _ name: String, _ destination: String, inverse: String? = nil, ordered: Bool = false, was: String? = nil
    ) -> RelationshipDescription {
        var relationship = RelationshipDescription(
            name: name, destination: destination, inverse: inverse, maxCount: 0, isOrdered: ordered)
        relationship.renamingIdentifier = was
        return relationship
    }

    static func entity(
        _ name: String, parent: String? = nil, was identifier: String? = nil, abstract: Bool = false,
        _ attributes: [AttributeDescription] = [], _ relationships: [RelationshipDescription] = []
    ) -> EntityDescription {
        var entity = EntityDescription(name: name, superentityName: parent)
        entity.renamingIdentifier = identifier
        entity.isAbstract = abstract
        entity.attributes = attributes
        entity.relationships = relationships
        return entity
    }

    static func infer(_ old: [EntityDescription], _ new: [EntityDescription]) -> InferredMapping {
        MappingInference.infer(ModelDescription(entities: old), ModelDescription(entities: new))
    }
}

extension InferredMapping {
    /// The refusals in two words each.
    var refused: [String] { refusals.map { "\($0.place) \($0.code.rawValue)" } }
    /// The steps, without what a person is told beside.
    var told: [String] {
        steps.map { step in "\(step.kind.rawValue) \(step.property.map { "\(step.entity).\($0)" } ?? step.entity)" }
    }
}
