import Foundation
import KeyedArchive

extension ModelArchiveWriter {
    mutating func fetchRequest(_ request: FetchRequestTemplate) throws(ModelError) -> KeyedArchiver.Reference {
        let place = "fetch request \(request.name)"
        var predicate = KeyedArchiver.Reference.null
        if let format = request.predicateFormat { predicate = try self.predicate(parsing: format, place) }
        var sort = KeyedArchiver.Reference.null
        if !request.sortDescriptors.isEmpty {
            let descriptors = request.sortDescriptors.map { descriptor in
                archiver.object(
                    "NSSortDescriptor", bases: ["NSObject"],
                    [
                        "NSKey": archiver.string(descriptor.key).node, "NSAscending": .bool(descriptor.isAscending),
                        "NSSelector": archiver.string(descriptor.selector).node,
                        "NSReverseNullOrder": .bool(descriptor.reversesNullOrder),
                    ])
            }
            sort = archiver.collection("NSArray", descriptors)
        }
        var having = KeyedArchiver.Reference.null
        if let format = request.havingPredicateFormat { having = try self.predicate(parsing: format, place) }
        return archiver.object(
            "NSFetchRequest", bases: ["NSPersistentStoreRequest", "NSObject"],
            [
                "NSEntity": try entity(request.entityName, place).node, "NSPredicate": predicate.node,
                "NSSortDescriptors": sort.node, "NSFetchLimit": .integer(Int64(request.fetchLimit)),
                "NSFetchOffset": .integer(Int64(request.fetchOffset)),
                "NSBatchSize": .integer(Int64(request.fetchBatchSize)),
                "NSResultType": .integer(Int64(request.resultType)), "NSHasFetchRequestFlags": .bool(true),
                "NSFetchRequestFlags": .integer(Int64(request.archivedFlags)),
                "NSValuesToFetch": try fetchedValues(request.propertiesToFetch, place).node,
                "NSValuesToGroupBy": try fetchedValues(request.propertiesToGroupBy, place).node,
                "NSHavingPredicate": having.node,
                "NSRelationshipKeyPathsForPrefetching": names(request.relationshipKeyPathsForPrefetching).node,
                "NSAllocationType": .integer(Int64(request.allocationType)),
            ])
    }

    private mutating func names(_ names: [String]) -> KeyedArchiver.Reference {
        names.isEmpty ? .null : archiver.collection("NSArray", names.map { archiver.string($0) })
    }

    private mutating func fetchedValues(_ values: [FetchRequestTemplate.FetchedValue], _ place: String)
        throws(ModelError) -> KeyedArchiver.Reference
    {
        var references: [KeyedArchiver.Reference] = []
        for value in values {
            guard let format = value.expressionFormat else {
                references.append(archiver.string(value.name))
                continue
            }
            references.append(
                expressionProperty(
                    archiver.string(value.name), try expression(parsing: format, place), value.resultType ?? .undefined)
            )
        }
        return references.isEmpty ? .null : archiver.collection("NSArray", references)
    }

    /// `NSExpressionDescription`: an expression in a property's place.
    private mutating func expressionProperty(
        _ name: KeyedArchiver.Reference, _ expression: KeyedArchiver.Reference, _ type: AttributeType
    ) -> KeyedArchiver.Reference {
        archiver.object(
            "NSExpressionDescription", bases: ["NSPropertyDescription", "NSObject"],
            [
                "NSPropertyName": name.node, "NSRenamingIdentifier": name.node,
                "NSEntity": KeyedArchiver.Reference.null.node, "NSExpression": expression.node,
                "NSExpressionType": .integer(Int64(type.rawValue)), "NSIsOptional": .bool(true),
                "NSIsReadOnly": .bool(true), "_P": .integer(0xF7),
            ])
    }

    mutating func fetchIndex(_ index: FetchIndexDescription, _ entity: String) throws(ModelError)
        -> KeyedArchiver.Reference
    {
        let place = "index \(entity).\(index.name)"
        let reference = archiver.reserve()
        var elements: [KeyedArchiver.Reference] = []
        for (number, element) in index.elements.enumerated() {
            var fields: PropertyListDictionary = [
                "NSPropertyName": archiver.string(element.property).node,
                "NSFetchIndexElementType": .integer(Int64(element.kind.rawValue)),
                "NSAscending": .bool(element.isAscending), "NSFetchIndexDescription": reference.node,
            ]
            if element.isExpression {
                let name = archiver.string("expression\(number + 1)")
                fields["NSPropertyName"] = name.node
                let expression = try expression(parsing: element.property, place)
                fields["NSIndexedProperty"] =
                    expressionProperty(name, expression, element.expressionType ?? element.usualExpressionType).node
            }
            elements.append(archiver.object("NSFetchIndexElementDescription", bases: ["NSObject"], fields))
        }
        var predicate = KeyedArchiver.Reference.null
        if let format = index.partialIndexPredicateFormat { predicate = try self.predicate(parsing: format, place) }
        archiver.fill(
            reference, "NSFetchIndexDescription", bases: ["NSObject"],
            [
                "NSIndexName": archiver.string(index.name).node, "NSEntity": try self.entity(entity, place).node,
                "NSIndexElements": archiver.collection("NSArray", elements).node,
                "NSPartialIndexPredicate": predicate.node,
            ])
        return reference
    }
}
