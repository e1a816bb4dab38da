import KeyedArchive

/// Notes what an archive says that no reader gives a meaning to.
final class UnreadKeys {
    private(set) var parts: [UnreadPart] = []

    /// Notes the fields of an object that its kind is not known to have; null fields say nothing.
    func note(_ object: ArchivedObject, _ kind: ArchiveVocabulary, _ place: String) {
        for name in object.fieldNames.sorted() where !kind.keys.contains(name) {
            guard let value = object[name] else { continue }
            add(name, Self.text(value), place)
        }
    }

    func add(_ name: String, _ value: String, _ place: String) {
        parts.append(UnreadPart(place: place, name: name, value: value))
    }

    private static func text(_ value: ArchivedObject) -> String {
        if let text = value.string { return text }
        switch value.node {
        case .bool(let value): return "\(value)"
        case .integer(let value): return "\(value)"
        case .real(let value): return "\(value)"
        default: return value.className ?? "a value"
        }
    }
}

/// The kinds of objects in a model's archive with the keys that are known of each (Format, section 7).
enum ArchiveVocabulary {
    case model, entity, attribute, relationship, fetchedProperty, fetchRequest, sortDescriptor, fetchIndex, indexElement
    /// An expression in a property's place.
    case expressionProperty

    /// Keys of every property. `_P` repeats its flags as bits, and holds two that differ with the compiler only.
    private static let propertyKeys: Set<String> = [
        "NSPropertyName", "NSEntity", "NSIsOptional", "NSIsTransient", "NSIsReadOnly", "NSIsIndexed",
        "NSIndexedBySpotlight", "NSIsStoredInTruthFile", "NSStoredInTruthFile", "NSRenamingIdentifier",
        "NSVersionHashModifier", "NSUserInfo", "NSValidationPredicates", "NSValidationWarnings", "_P",
    ]

    var keys: Set<String> {
        switch self {
        case .model: Self.modelKeys
        case .entity: Self.entityKeys
        case .attribute: Self.attributeKeys
        case .relationship: Self.relationshipKeys
        case .fetchedProperty: Self.fetchedPropertyKeys
        case .fetchRequest: Self.fetchRequestKeys
        case .sortDescriptor: ["NSKey", "NSAscending", "NSSelector", "NSReverseNullOrder"]
        case .fetchIndex: ["NSIndexName", "NSIndexElements", "NSPartialIndexPredicate", "NSEntity"]
        case .indexElement: Self.indexElementKeys
        case .expressionProperty: Self.propertyKeys.union(["NSExpression", "NSExpressionType"])
        }
    }

    /// What the compiler notes of itself.
    static let documentKeys: Set<String> = ["CDMCompilerToolVersion", "CDMCompilerXcodeVersion"]

    private static let modelKeys = documentKeys.union([
        "NSEntities", "NSVersionIdentifiers", "NSFetchRequestTemplates", "NSConfigurations",
    ])

    private static let entityKeys: Set<String> = [
        "NSEntityName", "NSClassNameForEntity", "NSRenamingIdentifier", "NSSuperentity", "NSSubentities",
        "NSProperties",
        "NSUniqueTuples", "NSFetchIndexDescriptions", "NSCompoundIndexes", "NSVersionHashModifier", "NSUserInfo",
        "NSManagedObjectModel", "NSIsAbstract",
    ]

    private static let attributeKeys = propertyKeys.union([
        "NSAttributeType", "NSAttributeValueClassName", "NSDefaultValue", "NSValueTransformerName", "NSFlagsKey",
        "NSAllowsCloudEncryption", "NSCompositeElements", "NSDerivationExpression", "NSFilteringPredicate",
    ])

    private static let relationshipKeys = propertyKeys.union([
        "NSDestinationEntity", "_NSDestinationEntityName", "NSInverseRelationship", "_NSInverseRelationshipName",
        "NSMinCount", "NSMaxCount", "NSDeleteRule", "NSIsOrdered",
    ])

    private static let fetchedPropertyKeys = propertyKeys.union(["NSFetchRequest", "_NSFetchRequestEntityName"])

    private static let fetchRequestKeys: Set<String> = [
        "NSEntity", "NSEntityName", "NSPredicate", "NSSortDescriptors", "NSFetchLimit", "NSFetchOffset", "NSBatchSize",
        "NSResultType", "NSHasFetchRequestFlags", "NSFetchRequestFlags", "NSValuesToFetch", "NSValuesToGroupBy",
        "NSHavingPredicate", "NSRelationshipKeyPathsForPrefetching", "NSAllocationType",
    ]

    private static let indexElementKeys: Set<String> = [
        "NSPropertyName", "NSFetchIndexElementType", "NSFetchIndexDescription", "NSAscending", "NSIndexedProperty",
    ]
}
