import Foundation

extension ContentsReader {
    private static let deletionRules: [String: DeleteRule] = [
        "Nullify": .nullify, "Cascade": .cascade, "Deny": .deny, "No Action": .noAction,
    ]

    private func integer(_ element: ContentsElement, _ attribute: String) throws(ModelError) -> Int {
        guard let text = element.attributes[attribute] else { return 0 }
        guard let value = Int32(text) else { throw malformed(element, "\(attribute) `\(text)` is no number") }
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
        relationship.isOptional = element.flag("optional")
        relationship.isTransient = element.flag("transient")
        relationship.isOrdered = element.flag("ordered")
        relationship.isSyncable = element.flag("syncable", absent: true)
        relationship.isIndexedBySpotlight = element.flag("spotlightIndexingEnabled")
        relationship.isStoredInTruthFile = element.flag("storedInTruthFile")
        relationship.versionHashModifier = element.text("versionHashModifier")
        relationship.renamingIdentifier = element.text("elementID").flatMap { $0 == name ? nil : $0 }
        relationship.userInfo = try userInfo(of: element)
        if let text = element.text("deletionRule") ?? element.text("deleteRule") {
            guard let rule = Self.deletionRules[text] else {
                throw .unsupported(what: "deletion rule \(text)", place: "\(source), \(entity).\(name)")
            }
            relationship.deleteRule = rule
        }
        return relationship
    }

    func fetchedProperty(_ element: ContentsElement, _ entity: String) throws(ModelError) -> FetchedPropertyDescription
    {
        let name = try name(of: element)
        guard let request = element.children("fetchRequest").first else {
            throw malformed(element, "fetched property \(entity).\(name) has no fetchRequest")
        }
        var property = FetchedPropertyDescription(name: name, request: try fetchRequest(request))
        property.isOptional = element.flag("optional")
        property.isSyncable = element.flag("syncable", absent: true)
        property.versionHashModifier = element.text("versionHashModifier")
        property.renamingIdentifier = element.text("elementID").flatMap { $0 == name ? nil : $0 }
        property.userInfo = try userInfo(of: element, allowing: ["fetchRequest"])
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
        _ = try userInfo(of: element, allowing: ["userInfo"])
        return request
    }

    func fetchIndex(_ element: ContentsElement, _ entity: String) throws(ModelError) -> FetchIndexDescription {
        var index = FetchIndexDescription(name: try name(of: element), elements: [])
        index.partialIndexPredicateFormat = element.text("partialIndexPredicate")
        for child in element.children {
            guard child.name == "fetchIndexElement" else {
                throw .unsupported(what: "element <\(child.name)>", place: "\(source), line \(child.line)")
            }
            let kinds: [String: FetchIndexDescription.Element.Kind] = ["Binary": .binary, "RTree": .rTree]
            guard let kind = kinds[child.attributes["type"] ?? "Binary"] else {
                throw .unsupported(
                    what: "index type \(child.attributes["type"] ?? "")", place: "\(source), line \(child.line)")
            }
            let isAscending = child.attributes["order"] != "descending"
            if let property = child.text("property") {
                index.elements.append(.init(property: property, kind: kind, isAscending: isAscending))
            } else if let expression = child.text("expression") {
                index.elements.append(
                    .init(property: expression, isExpression: true, kind: kind, isAscending: isAscending))
            } else {
                throw malformed(child, "an element of index \(entity).\(index.name) names no property")
            }
        }
        return index
    }
}
