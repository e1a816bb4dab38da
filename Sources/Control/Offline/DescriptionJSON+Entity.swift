import StoreModel
import Varlink

extension DescriptionJSON {
    /// An entity with its properties, inherited ones included, each of these with the entity that declares it.
    static func entity(_ entity: EntityDescription, in model: ModelDescription) -> JSONObject {
        var object: JSONObject = [
            "name": .string(entity.name), "parent": text(entity.superentityName) ?? .null,
            "abstract": .bool(entity.isAbstract), "class": text(entity.className) ?? .null,
        ]
        object["hashModifier"] = text(entity.versionHashModifier)
        object["renamingIdentifier"] = text(entity.renamingIdentifier)
        object["syncable"] = entity.isSyncable.map { .bool($0) }
        object["codeGeneration"] = text(entity.codeGenerationType)
        object["userInfo"] = userInfo(entity.userInfo)
        let ancestors = model.inheritanceChain(of: entity.name).dropLast()
        func inherited(_ json: JSON, _ isOwn: Bool, _ declares: (EntityDescription) -> Bool) -> JSON {
            guard !isOwn, let owner = ancestors.last(where: declares), case .object(var object) = json else {
                return json
            }
            object["inheritedFrom"] = .string(owner.name)
            return .object(object)
        }
        object["attributes"] = .array(
            model.attributes(of: entity.name).map { item in
                let isOwn = entity.attributes.contains { $0.name == item.name }
                return inherited(attribute(item), isOwn) { $0.attributes.contains { $0.name == item.name } }
            })
        object["relationships"] = .array(
            model.relationships(of: entity.name).map { item in
                let isOwn = entity.relationships.contains { $0.name == item.name }
                return inherited(relationship(item), isOwn) { $0.relationships.contains { $0.name == item.name } }
            })
        object["fetchedProperties"] = .array(entity.fetchedProperties.map(fetchedProperty))
        object["uniquenessConstraints"] = .array(entity.uniquenessConstraints.map(texts))
        object["indexes"] = .array(entity.fetchIndexes.map(index))
        object["compoundIndexes"] = .array(entity.compoundIndexes.map(texts))
        return object
    }

    static func fetchedProperty(_ property: FetchedPropertyDescription) -> JSON {
        var object: JSONObject = ["name": .string(property.name), "optional": .bool(property.isOptional)]
        object["syncable"] = property.isSyncable.map { .bool($0) }
        object["hashModifier"] = text(property.versionHashModifier)
        object["renamingIdentifier"] = text(property.renamingIdentifier)
        object["userInfo"] = userInfo(property.userInfo)
        object["request"] = fetchRequest(property.request)
        return .object(object)
    }

    static func fetchRequest(_ request: FetchRequestTemplate) -> JSON {
        var object: JSONObject = [
            "name": .string(request.name), "entity": .string(request.entityName),
            "predicate": text(request.predicateFormat) ?? .null,
        ]
        object["sort"] = filled(
            request.sortDescriptors.map { sort in
                var key: JSONObject = ["key": .string(sort.key), "ascending": .bool(sort.isAscending)]
                key["selector"] = text(sort.selector)
                key["reversesNullOrder"] = set(sort.reversesNullOrder)
                return .object(key)
            })
        object["limit"] = request.fetchLimit != 0 ? JSON(request.fetchLimit) : nil
        object["offset"] = request.fetchOffset != 0 ? JSON(request.fetchOffset) : nil
        object["batchSize"] = request.fetchBatchSize != 0 ? JSON(request.fetchBatchSize) : nil
        object["resultType"] = JSON(request.resultType)
        object["includesSubentities"] = .bool(request.includesSubentities)
        object["includesPropertyValues"] = .bool(request.includesPropertyValues)
        object["includesPendingChanges"] = .bool(request.includesPendingChanges)
        object["returnsObjectsAsFaults"] = .bool(request.returnsObjectsAsFaults)
        object["returnsDistinctResults"] = .bool(request.returnsDistinctResults)
        object["propertiesToFetch"] = filled(request.propertiesToFetch.map(fetchedValue))
        object["groupBy"] = filled(request.propertiesToGroupBy.map(fetchedValue))
        object["having"] = text(request.havingPredicateFormat)
        object["prefetching"] = filled(request.relationshipKeyPathsForPrefetching.map { .string($0) })
        object["allocationType"] = request.allocationType != 0 ? JSON(request.allocationType) : nil
        object["flags"] = request.flags.map { JSON($0) }
        return .object(object)
    }

    /// A property's name, or an expression with its own.
    private static func fetchedValue(_ value: FetchRequestTemplate.FetchedValue) -> JSON {
        guard let format = value.expressionFormat else { return .string(value.name) }
        var object: JSONObject = ["name": .string(value.name), "expression": .string(format)]
        object["type"] = text(value.resultType.map { "\($0)" })
        return .object(object)
    }

    static func index(_ index: FetchIndexDescription) -> JSON {
        var object: JSONObject = ["name": .string(index.name)]
        object["elements"] = .array(
            index.elements.map { element in
                var part: JSONObject = [
                    element.isExpression ? "expression" : "property": .string(element.property),
                    "ascending": .bool(element.isAscending), "type": .string("\(element.kind)"),
                ]
                part["expressionType"] = text(element.expressionType.map { "\($0)" })
                return .object(part)
            })
        object["where"] = text(index.partialIndexPredicateFormat)
        return .object(object)
    }

    static func unread(_ part: UnreadPart) -> JSON {
        var object: JSONObject = [
            "place": .string(part.place), "name": .string(part.name), "value": .string(part.value),
        ]
        object["line"] = part.line.map { JSON($0) }
        return .object(object)
    }

    static func warning(_ warning: ModelWarning) -> JSON {
        [
            "code": .string(warning.code.rawValue), "entity": .string(warning.entity),
            "property": text(warning.property) ?? .null, "message": .string("\(warning)"),
        ]
    }
}
