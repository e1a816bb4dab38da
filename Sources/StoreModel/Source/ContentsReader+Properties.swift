import Foundation

extension ContentsReader {
    private static let deletionRules: [String: DeleteRule] = [
        "Nullify": .nullify, "Cascade": .cascade, "Deny": .deny, "No Action": .noAction,
    ]

    private func integer(_ element: ContentsElement, _ attribute: String) throws(ModelError) -> Int {
        guard let text = element.attributes[attribute] else { return 0 }
        guard let value = Int32(text) else {
            // Compiled models have 32 bits for it.
            throw malformed(
                element, "\(attribute) `\(text)` is no whole number from \(Int32.min) to \(Int32.max)")
        }
        return Int(value)
    }

    func relationship(_ element: ContentsElement, _ entity: String) throws(ModelError) -> RelationshipDescription {
        let name = try name(of: element)
        guard let destination = element.text("destinationEntity") else {
            throw malformed(element, "relationship \(entity).\(name) has no destinationEntity")
        }
        var relationship = RelationshipDescription(
            name: name, destination: destination, maxCount: try integer(element, "maxCount"))
        relationship.minCount = try integer(element, "minCount")
        relationship.inverseName = element.text("inverseName")
        if relationship.inverseName != nil {
            relationship.inverseEntityName = element.text("inverseEntity").flatMap { $0 == destination ? nil : $0 }
        }
        relationship.isOptional = element.flag("optional")
        relationship.isTransient = element.flag("transient")
        relationship.isOrdered = element.flag("ordered")
        relationship.isSyncable = element.optionalFlag("syncable")
        relationship.isIndexedBySpotlight = element.flag("spotlightIndexingEnabled")
        relationship.isStoredInTruthFile = element.flag("storedInTruthFile")
        relationship.versionHashModifier = element.text("versionHashModifier")
        relationship.renamingIdentifier = element.text("elementID").flatMap { $0 == name ? nil : $0 }
        relationship.userInfo = try userInfo(of: element)
        if let text = element.text("deletionRule") ?? element.text("deleteRule") {
            guard let rule = Self.deletionRules[text] else {
                throw unsupported(element, "deletion rule `\(text)` of \(entity).\(name)")
            }
            relationship.deleteRule = rule
        }
        return relationship
    }

    func fetchedProperty(_ element: ContentsElement, _ entity: String) throws(ModelError) -> FetchedPropertyDescription
    {
        let name = try name(of: element)
        let requests = element.children("fetchRequest")
        guard requests.count == 1, let request = requests.first else {
            throw malformed(element, "fetched property \(entity).\(name) has \(requests.count) fetch requests, not one")
        }
        var property = FetchedPropertyDescription(name: name, request: try fetchRequest(request))
        property.isOptional = element.flag("optional")
        property.isSyncable = element.optionalFlag("syncable")
        property.versionHashModifier = element.text("versionHashModifier")
        property.renamingIdentifier = element.text("elementID").flatMap { $0 == name ? nil : $0 }
        property.userInfo = try userInfo(of: element)
        return property
    }

    func fetchRequest(_ element: ContentsElement) throws(ModelError) -> FetchRequestTemplate {
        var request = FetchRequestTemplate(
            name: try name(of: element), entityName: element.attributes["entity"] ?? "",
            predicateFormat: element.text("predicateString"))
        request.fetchLimit = try integer(element, "fetchLimit")
        request.fetchBatchSize = try integer(element, "fetchBatchSize")
        request.resultType = try integer(element, "resultType")
        request.includesSubentities = element.flag("includeSubentities", absent: true)
        request.includesPropertyValues = element.flag("includePropertyValues", absent: true)
        request.includesPendingChanges = element.flag("includesPendingChanges", absent: true)
        request.returnsObjectsAsFaults = element.flag("returnObjectsAsFaults", absent: true)
        request.returnsDistinctResults = element.flag("returnDistinctResults")
        return request
    }

    func fetchIndex(_ element: ContentsElement, _ entity: String) throws(ModelError) -> FetchIndexDescription {
        var index = FetchIndexDescription(name: try name(of: element), elements: [])
        index.partialIndexPredicateFormat = element.text("partialIndexPredicate")
        for child in element.children {
            let kinds: [String: FetchIndexDescription.Element.Kind] = ["binary": .binary, "rtree": .rTree]
            guard let kind = kinds[(child.attributes["type"] ?? "Binary").lowercased()] else {
                throw unsupported(child, "index type `\(child.attributes["type"] ?? "")`")
            }
            let orders = ["ascending": true, "descending": false]
            guard let isAscending = orders[child.attributes["order"] ?? "ascending"] else {
                throw unsupported(child, "index order `\(child.attributes["order"] ?? "")`")
            }
            if let property = child.text("property") {
                index.elements.append(.init(property: property, kind: kind, isAscending: isAscending))
            } else if let text = child.text("expression") {
                let expression: ExpressionNode
                do {
                    expression = try ExpressionNode.parse(text)
                } catch {
                    throw malformed(child, "the expression of index \(entity).\(index.name): \(error)")
                }
                var part = FetchIndexDescription.Element(
                    property: expression.indexedText, isExpression: true, kind: kind, isAscending: isAscending)
                let type = try type(child, "expressionType")
                part.expressionType = type == part.usualExpressionType ? nil : type
                index.elements.append(part)
            } else {
                throw malformed(child, "an element of index \(entity).\(index.name) names no property")
            }
        }
        return index
    }
}
