import StoreModel

/// Short forms for the models of tests.
public enum Short {
    /// An attribute, optional where nothing else is said.
    public static func attribute(
        _ name: String, _ type: AttributeType = .string, optional: Bool = true, was identifier: String? = nil,
        default value: ModelValue? = nil, external: Bool = false, kept: Bool = false
    ) -> AttributeDescription {
        var attribute = AttributeDescription(name: name, type: type, isOptional: optional)
        attribute.renamingIdentifier = identifier
        attribute.defaultValue = value
        attribute.allowsExternalBinaryDataStorage = external
        attribute.preservesValueInHistoryOnDeletion = kept
        return attribute
    }

    /// A composite of these elements.
    public static func composite(_ name: String, _ elements: AttributeDescription...) -> AttributeDescription {
        var attribute = AttributeDescription(name: name, type: .composite, isOptional: true)
        attribute.elements = elements
        return attribute
    }

    /// A relationship to one object.
    public static func toOne(
        _ name: String, _ destination: String, inverse: String? = nil, optional: Bool = true, was: String? = nil
    ) -> RelationshipDescription {
        var relationship = RelationshipDescription(
            name: name, destination: destination, inverse: inverse, isOptional: optional)
        relationship.renamingIdentifier = was
        return relationship
    }

    /// A relationship to any number of objects.
    public static func toMany(
        _ name: String, _ destination: String, inverse: String? = nil, ordered: Bool = false, was: String? = nil
    ) -> RelationshipDescription {
        var relationship = RelationshipDescription(
            name: name, destination: destination, inverse: inverse, maxCount: 0, isOrdered: ordered)
        relationship.renamingIdentifier = was
        return relationship
    }

    /// An entity with its own properties.
    public static func entity(
        _ name: String, parent: String? = nil, was identifier: String? = nil, abstract: Bool = false,
        unique: [[String]] = [], _ attributes: [AttributeDescription] = [],
        _ relationships: [RelationshipDescription] = []
    ) -> EntityDescription {
        var entity = EntityDescription(name: name, superentityName: parent)
        entity.renamingIdentifier = identifier
        entity.isAbstract = abstract
        entity.uniquenessConstraints = unique
        entity.attributes = attributes
        entity.relationships = relationships
        return entity
    }

    /// A model of these entities.
    public static func model(_ entities: EntityDescription...) -> ModelDescription {
        ModelDescription(entities: entities)
    }
}
