import Foundation
import KeyedArchive

extension ModelArchiveWriter {
    /// Own and inherited properties by name; an inherited one is a copy that belongs to the subentity.
    mutating func properties(of entity: EntityDescription) throws(ModelError) -> KeyedArchiver.Reference {
        guard let owner = entities[entity.name] else { return .null }
        var entries: [(key: KeyedArchiver.Reference, value: KeyedArchiver.Reference)] = []
        for attribute in model.attributes(of: entity.name) {
            entries.append((archiver.string(attribute.name), try self.attribute(attribute, owner, entity.name)))
        }
        for relationship in model.relationships(of: entity.name) {
            guard let place = relationships[entity.name]?[relationship.name] else { continue }
            try fill(place, relationship, owner, entity.name)
            entries.append((archiver.string(relationship.name), place))
        }
        var seen: Set<String> = []
        for ancestor in model.inheritanceChain(of: entity.name).reversed() {
            for property in ancestor.fetchedProperties where seen.insert(property.name).inserted {
                entries.append((archiver.string(property.name), try fetchedProperty(property, owner, entity.name)))
            }
        }
        return archiver.dictionary("NSMutableDictionary", entries)
    }

    /// The bits of `_P`: 0xF1 is in every property that the newest frameworks write (Format, section 7).
    private static func bits(
        optional: Bool, readOnly: Bool = false, transient: Bool = false, spotlight: Bool = false, ordered: Bool = false,
        encrypted: Bool = false
    ) -> PropertyListNode {
        let chosen: [(Bool, Int64)] = [
            (optional, 0x02), (readOnly, 0x04), (transient, 0x08), (spotlight, 0x100), (ordered, 0x400),
            (encrypted, 0x800),
        ]
        return .integer(chosen.reduce(0xF1) { $1.0 ? $0 | $1.1 : $0 })
    }

    /// Flags of an archive that are there only when they are true.
    private static func setFlags(_ fields: inout PropertyListDictionary, _ flags: [(String, Bool)]) {
        for (name, value) in flags where value { fields[name] = .bool(true) }
    }

    mutating func attribute(
        _ attribute: AttributeDescription, _ owner: KeyedArchiver.Reference, _ entity: String
    ) throws(ModelError) -> KeyedArchiver.Reference {
        let place = "\(entity).\(attribute.name)"
        let reference = archiver.reserve()
        let isReadOnly = attribute.isReadOnly || attribute.isDerived
        var flags: Int64 = 0
        if attribute.allowsExternalBinaryDataStorage { flags |= 4 }
        if attribute.preservesValueInHistoryOnDeletion { flags |= 16 }
        let valueClass = attribute.valueClassName ?? attribute.type.defaultValueClassName
        var fields: PropertyListDictionary = [
            "NSPropertyName": archiver.string(attribute.name).node, "NSEntity": owner.node,
            "NSAttributeType": .integer(Int64(attribute.type.rawValue)),
            "NSAttributeValueClassName": archiver.string(valueClass).node,
            "NSDefaultValue": try
                (attribute.defaultValue.map { value throws(ModelError) in
                    try self.value(value, place, dictionary: "NSMutableDictionary")
                } ?? .null).node,
            "NSValueTransformerName": archiver.string(attribute.valueTransformerName).node,
            "NSRenamingIdentifier": archiver.string(attribute.renamingIdentifier ?? attribute.name).node,
            "NSFlagsKey": .integer(flags),
            "_P": Self.bits(
                optional: attribute.isOptional, readOnly: isReadOnly, transient: attribute.isTransient,
                spotlight: attribute.isIndexedBySpotlight, encrypted: attribute.allowsCloudEncryption),
        ]
        Self.setFlags(
            &fields,
            [
                ("NSIsOptional", attribute.isOptional), ("NSIsTransient", attribute.isTransient),
                ("NSIsIndexed", attribute.isIndexed), ("NSIsReadOnly", isReadOnly),
                ("NSIndexedBySpotlight", attribute.isIndexedBySpotlight),
                ("NSIsStoredInTruthFile", attribute.isStoredInTruthFile),
                ("NSAllowsCloudEncryption", attribute.allowsCloudEncryption),
            ])
        if let modifier = attribute.versionHashModifier {
            fields["NSVersionHashModifier"] = archiver.string(modifier).node
        }
        if !attribute.userInfo.isEmpty { fields["NSUserInfo"] = try userInfo(attribute.userInfo, place).node }
        try addValidations(of: attribute, to: &fields, place)
        var className = "NSAttributeDescription"
        if let derivation = attribute.derivation {
            className = "NSDerivedAttributeDescription"
            // The text that the hash takes, so that a reader computes the same hash again.
            fields["NSDerivationExpression"] = try expression(parsing: derivation.hashDescription, place).node
            fields["NSFilteringPredicate"] =
                try
                (derivation.filteringPredicateFormat.map { format throws(ModelError) in
                    try self.predicate(parsing: format, place)
                } ?? .null).node
        } else if attribute.isComposite {
            className = "NSCompositeAttributeDescription"
            var elements: [KeyedArchiver.Reference] = []
            for element in attribute.elements { elements.append(try self.attribute(element, owner, entity)) }
            fields["NSCompositeElements"] = archiver.collection("NSMutableArray", elements).node
        }
        let bases = className == "NSAttributeDescription" ? [] : ["NSAttributeDescription"]
        archiver.fill(reference, className, bases: bases + ["NSPropertyDescription", "NSObject"], fields)
        return reference
    }

    private mutating func addValidations(
        of attribute: AttributeDescription, to fields: inout PropertyListDictionary, _ place: String
    ) throws(ModelError) {
        guard !attribute.validations.isEmpty else { return }
        var predicates: [KeyedArchiver.Reference] = []
        var warnings: [KeyedArchiver.Reference] = []
        for validation in attribute.validations {
            predicates.append(try predicate(parsing: validation.predicateFormat, place))
            warnings.append(try value(validation.warning ?? .null, place))
        }
        fields["NSValidationPredicates"] = archiver.collection("NSMutableArray", predicates).node
        fields["NSValidationWarnings"] = archiver.collection("NSMutableArray", warnings).node
    }

    private mutating func fill(
        _ reference: KeyedArchiver.Reference, _ relationship: RelationshipDescription, _ owner: KeyedArchiver.Reference,
        _ entity: String
    ) throws(ModelError) {
        let place = "\(entity).\(relationship.name)"
        let destination = try self.entity(relationship.destinationEntityName, place)
        var inverse = KeyedArchiver.Reference.null
        if let name = relationship.inverseName {
            // The inverse where it is declared, not a subentity's copy of it.
            let declaring = model.inheritanceChain(of: relationship.destinationEntityName).last { ancestor in
                ancestor.relationships.contains { $0.name == name }
            }
            guard let found = declaring.flatMap({ relationships[$0.name]?[name] }) else {
                throw .missing(what: "inverse \(relationship.destinationEntityName).\(name)", place: place)
            }
            inverse = found
        }
        var fields: PropertyListDictionary = [
            "NSPropertyName": archiver.string(relationship.name).node, "NSEntity": owner.node,
            "NSDestinationEntity": destination.node,
            "_NSDestinationEntityName": archiver.string(relationship.destinationEntityName).node,
            "NSInverseRelationship": inverse.node,
            "_NSInverseRelationshipName": archiver.string(relationship.inverseName).node,
            "NSMaxCount": .integer(Int64(relationship.maxCount)), "NSMinCount": .integer(Int64(relationship.minCount)),
            "NSDeleteRule": .integer(Int64(relationship.deleteRule.rawValue)),
            "NSRenamingIdentifier": archiver.string(relationship.renamingIdentifier ?? relationship.name).node,
            "_P": Self.bits(
                optional: relationship.isOptional, transient: relationship.isTransient,
                spotlight: relationship.isIndexedBySpotlight, ordered: relationship.isOrdered),
        ]
        Self.setFlags(
            &fields,
            [
                ("NSIsOptional", relationship.isOptional), ("NSIsTransient", relationship.isTransient),
                ("NSIsOrdered", relationship.isOrdered), ("NSIndexedBySpotlight", relationship.isIndexedBySpotlight),
                ("NSIsStoredInTruthFile", relationship.isStoredInTruthFile),
            ])
        if let modifier = relationship.versionHashModifier {
            fields["NSVersionHashModifier"] = archiver.string(modifier).node
        }
        if !relationship.userInfo.isEmpty { fields["NSUserInfo"] = try userInfo(relationship.userInfo, place).node }
        archiver.fill(reference, "NSRelationshipDescription", bases: ["NSPropertyDescription", "NSObject"], fields)
    }

    private mutating func fetchedProperty(
        _ property: FetchedPropertyDescription, _ owner: KeyedArchiver.Reference, _ entity: String
    ) throws(ModelError) -> KeyedArchiver.Reference {
        let place = "\(entity).\(property.name)"
        var fields: PropertyListDictionary = [
            "NSPropertyName": archiver.string(property.name).node, "NSEntity": owner.node,
            "_NSFetchRequestEntityName": archiver.string(property.request.entityName).node,
            "NSFetchRequest": try fetchRequest(property.request).node,
            "NSRenamingIdentifier": archiver.string(property.renamingIdentifier ?? property.name).node,
            "NSIsTransient": .bool(true), "NSIsReadOnly": .bool(true),
            "_P": Self.bits(optional: property.isOptional, readOnly: true, transient: true),
        ]
        Self.setFlags(&fields, [("NSIsOptional", property.isOptional)])
        if let modifier = property.versionHashModifier {
            fields["NSVersionHashModifier"] = archiver.string(modifier).node
        }
        if !property.userInfo.isEmpty { fields["NSUserInfo"] = try userInfo(property.userInfo, place).node }
        return archiver.object(
            "NSFetchedPropertyDescription", bases: ["NSPropertyDescription", "NSObject"], fields)
    }
}
