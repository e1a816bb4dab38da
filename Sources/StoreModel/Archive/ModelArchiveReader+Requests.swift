import Foundation
import KeyedArchive

extension FetchedPropertyDescription {
    /// The name that the model editor gives to the request inside a fetched property.
    public static let requestName = "fetchedPropertyFetchRequest"
}

extension ModelArchiveReader {
    func fetchRequest(_ object: ArchivedObject, name: String) throws(ModelError) -> FetchRequestTemplate {
        let place = "fetch request \(name)"
        var request = FetchRequestTemplate(
            name: name,
            entityName: object["NSEntity"]?["NSEntityName"]?.string ?? object["NSEntityName"]?.string ?? "")
        if let predicate = object["NSPredicate"] { request.predicateFormat = try format(predicate, place) }
        for element in object["NSSortDescriptors"]?.elements ?? [] {
            guard let element else { continue }
            try budget.spend()
            guard let key = element["NSKey"]?.string else { throw malformed("a sort key of \(place) has no name") }
            request.sortDescriptors.append(
                .init(
                    key: key, isAscending: element["NSAscending"]?.bool ?? true,
                    selector: text(element["NSSelector"])))
        }
        request.fetchLimit = Int(object["NSFetchLimit"]?.integer ?? 0)
        request.fetchOffset = Int(object["NSFetchOffset"]?.integer ?? 0)
        request.fetchBatchSize = Int(object["NSBatchSize"]?.integer ?? 0)
        request.resultType = Int(object["NSResultType"]?.integer ?? 0)
        if object["NSHasFetchRequestFlags"]?.bool == true, let flags = object["NSFetchRequestFlags"]?.integer {
            request.flags = Int(flags)
        }
        return request
    }

    func fetchIndex(_ object: ArchivedObject, entity: String) throws(ModelError) -> FetchIndexDescription {
        guard let name = object["NSIndexName"]?.string else { throw malformed("an index of \(entity) has no name") }
        let place = "index \(entity).\(name)"
        var index = FetchIndexDescription(name: name, elements: [])
        for element in object["NSIndexElements"]?.elements ?? [] {
            guard let element else { continue }
            try budget.spend()
            let code = element["NSFetchIndexElementType"]?.integer ?? 0
            guard let kind = FetchIndexDescription.Element.Kind(rawValue: Int(code)) else {
                throw .unsupported(what: "element type \(code)", place: place)
            }
            let ascending = element["NSAscending"]?.bool ?? true
            if let archived = element["NSIndexedProperty"]?["NSExpression"] {
                let expression = try predicates(place).expression(archived)
                index.elements.append(
                    .init(
                        property: expression.indexedText, isExpression: true, kind: kind, isAscending: ascending))
            } else if let property = element["NSPropertyName"]?.string
                ?? element["NSIndexedProperty"]?["NSPropertyName"]?.string
            {
                index.elements.append(.init(property: property, kind: kind, isAscending: ascending))
            } else {
                throw malformed("an element of \(place) names no property")
            }
        }
        if let predicate = object["NSPartialIndexPredicate"] {
            index.partialIndexPredicateFormat = try format(predicate, place)
        }
        return index
    }
}

extension ExpressionNode {
    /// How an index names an expression: `self` is the key, `self.entity` the entity (Format, section 4).
    var indexedText: String {
        switch self {
        case .evaluatedObject: "self"
        case .keyPath(let path): "self." + path.joined(separator: ".")
        default: formatString
        }
    }
}
