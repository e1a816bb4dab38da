import Foundation
import KeyedArchive

extension FetchedPropertyDescription {
    /// The name that the model editor gives to the request inside a fetched property.
    public static let requestName = "fetchedPropertyFetchRequest"
}

extension ModelArchiveReader {
    func fetchRequest(_ object: ArchivedObject, name: String) throws(ModelError) -> FetchRequestTemplate {
        let place = "fetch request \(name)"
        unread.note(object, .fetchRequest, place)
        var request = FetchRequestTemplate(
            name: name,
            entityName: object["NSEntity"]?["NSEntityName"]?.string ?? object["NSEntityName"]?.string ?? "")
        if let predicate = object["NSPredicate"] { request.predicateFormat = try format(predicate, place) }
        for element in object["NSSortDescriptors"]?.elements ?? [] {
            guard let element else { continue }
            try budget.spend()
            unread.note(element, .sortDescriptor, place)
            guard let key = element["NSKey"]?.string else { throw malformed("a sort key of \(place) has no name") }
            request.sortDescriptors.append(
                .init(
                    key: key, isAscending: element["NSAscending"]?.bool ?? true,
                    selector: text(element["NSSelector"]),
                    reversesNullOrder: element["NSReverseNullOrder"]?.bool ?? false))
        }
        request.fetchLimit = Int(object["NSFetchLimit"]?.integer ?? 0)
        request.fetchOffset = Int(object["NSFetchOffset"]?.integer ?? 0)
        request.fetchBatchSize = Int(object["NSBatchSize"]?.integer ?? 0)
        request.resultType = Int(object["NSResultType"]?.integer ?? 0)
        request.allocationType = Int(object["NSAllocationType"]?.integer ?? 0)
        request.propertiesToFetch = try fetchedValues(object, "NSValuesToFetch", place)
        request.propertiesToGroupBy = try fetchedValues(object, "NSValuesToGroupBy", place)
        for path in object["NSRelationshipKeyPathsForPrefetching"]?.elements ?? [] {
            try budget.spend()
            guard let path = path?.string else { throw malformed("a path that \(place) fetches along is no text") }
            request.relationshipKeyPathsForPrefetching.append(path)
        }
        if let having = object["NSHavingPredicate"] { request.havingPredicateFormat = try format(having, place) }
        if object["NSHasFetchRequestFlags"]?.bool == true, let flags = object["NSFetchRequestFlags"]?.integer {
            request.setOptions(flags: Int(flags))
        }
        return request
    }

    /// What a request fetches or groups by: properties, which stand as text or as themselves, and expressions.
    private func fetchedValues(_ object: ArchivedObject, _ field: String, _ place: String) throws(ModelError)
        -> [FetchRequestTemplate.FetchedValue]
    {
        var values: [FetchRequestTemplate.FetchedValue] = []
        for element in object[field]?.elements ?? [] {
            try budget.spend()
            guard let element, let name = element.string ?? element["NSPropertyName"]?.string else {
                throw malformed("what \(place) fetches has no name")
            }
            var value = FetchRequestTemplate.FetchedValue(name: name)
            if let archived = element["NSExpression"] {
                unread.note(element, .expressionProperty, place)
                value.expressionFormat = try predicates(place).expression(archived).formatString
                value.resultType = element["NSExpressionType"]?.integer.flatMap { AttributeType(rawValue: Int($0)) }
            }
            values.append(value)
        }
        return values
    }

    func fetchIndex(_ object: ArchivedObject, entity: String) throws(ModelError) -> FetchIndexDescription {
        guard let name = object["NSIndexName"]?.string else { throw malformed("an index of \(entity) has no name") }
        let place = "index \(entity).\(name)"
        unread.note(object, .fetchIndex, place)
        var index = FetchIndexDescription(name: name, elements: [])
        for element in object["NSIndexElements"]?.elements ?? [] {
            guard let element else { continue }
            try budget.spend()
            unread.note(element, .indexElement, place)
            let code = element["NSFetchIndexElementType"]?.integer ?? 0
            guard let kind = FetchIndexDescription.Element.Kind(rawValue: Int(code)) else {
                throw .unsupported(what: "element type \(code)", place: place)
            }
            let ascending = element["NSAscending"]?.bool ?? true
            if let archived = element["NSIndexedProperty"]?["NSExpression"] {
                let expression = try predicates(place).expression(archived)
                var part = FetchIndexDescription.Element(
                    property: expression.indexedText, isExpression: true, kind: kind, isAscending: ascending)
                if let code = element["NSIndexedProperty"]?["NSExpressionType"]?.integer,
                    let type = AttributeType(rawValue: Int(code)), type != part.usualExpressionType
                {
                    part.expressionType = type
                }
                index.elements.append(part)
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
