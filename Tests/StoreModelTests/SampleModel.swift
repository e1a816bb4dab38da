import Foundation

@testable import StoreModel

/// A model that has something of everything that a version hash or a cache depends on.
enum SampleModel {
    static func attribute(
        _ name: String, _ type: AttributeType, optional: Bool = true,
        _ change: (inout AttributeDescription) -> Void = { _ in }
    ) -> AttributeDescription {
        var attribute = AttributeDescription(name: name, type: type, isOptional: optional)
        attribute.valueClassName = type.defaultValueClassName
        change(&attribute)
        return attribute
    }

    static var thing: EntityDescription {
        var thing = EntityDescription(name: "Thing")
        thing.isAbstract = true
        thing.attributes = [
            attribute("name", .string),
            attribute("size", .integer64, optional: false) {
                $0.versionHashModifier = "2"
                $0.defaultValue = .integer(7)
            },
        ]
        return thing
    }

    static var box: EntityDescription {
        var box = EntityDescription(name: "Box", superentityName: "Thing")
        box.className = "AppBox"
        box.versionHashModifier = "v3"
        box.renamingIdentifier = "Crate"
        box.uniquenessConstraints = [["size", "name"], ["name"]]
        box.userInfo = ["note": .string("x"), "list": .array([.integer(1), .bool(true)])]
        box.attributes = [
            attribute("count", .integer64) {
                $0.derivation = DerivationExpression(hashDescription: "count:(parts)", format: "parts.@count")
                $0.isReadOnly = true
            },
            attribute("photo", .binaryData) {
                $0.allowsExternalBinaryDataStorage = true
                $0.preservesValueInHistoryOnDeletion = true
            },
            attribute("place", .composite) {
                $0.elements = [attribute("x", .double), attribute("a", .integer16, optional: false)]
            },
        ]
        box.relationships = [
            RelationshipDescription(name: "friends", destination: "Box", inverse: "friends", maxCount: 0),
            RelationshipDescription(name: "lid", destination: "Part", maxCount: 1, isOptional: false),
            RelationshipDescription(
                name: "parts", destination: "Part", inverse: "owner", maxCount: 0, isOrdered: true, deleteRule: .cascade
            ),
        ]
        box.relationships[1].minCount = 1
        box.relationships[1].versionHashModifier = "m"
        box.fetchIndexes = [
            FetchIndexDescription(
                name: "bySize",
                elements: [
                    .init(property: "size", isAscending: false), .init(property: "self.entity", isExpression: true),
                    .init(property: "self", isExpression: true),
                    .init(property: "length:(name)", isExpression: true, kind: .rTree, expressionType: .integer64),
                ],
                partialIndexPredicateFormat: "size > 3")
        ]
        return box
    }

    static var part: EntityDescription {
        var part = EntityDescription(name: "Part")
        part.relationships = [RelationshipDescription(name: "owner", destination: "Box", inverse: "parts")]
        part.relationships[0].minCount = 0
        var request = FetchRequestTemplate(
            name: FetchedPropertyDescription.requestName, entityName: "Box",
            predicateFormat: "name == $FETCH_SOURCE.owner.name")
        request.sortDescriptors = [.init(key: "size", isAscending: false, selector: "compare:")]
        request.flags = 30
        request.sortDescriptors[0].reversesNullOrder = true
        request.propertiesToFetch = ["name", "size"]
        request.propertiesToGroupBy = ["name"]
        request.propertiesToFetch.append(
            .init(name: "biggest", expressionFormat: "max:(size)", resultType: .integer64))
        request.havingPredicateFormat = "size > 2"
        request.relationshipKeyPathsForPrefetching = ["parts"]
        request.allocationType = 1
        (request.fetchLimit, request.fetchOffset, request.fetchBatchSize, request.resultType) = (5, 2, 10, 2)
        part.fetchedProperties = [FetchedPropertyDescription(name: "boxes", request: request)]
        return part
    }

    static var model: ModelDescription {
        ModelDescription(
            entities: [box, part, thing], versionIdentifiers: ["1.2"], configurations: ["Local": ["Box", "Part"]])
    }
}
