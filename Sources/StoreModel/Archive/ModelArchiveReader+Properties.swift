import Foundation
import KeyedArchive

extension ModelArchiveReader {
    /// Composites in composites: far more than any model has, few enough for the stack.
    private static let maximumDepth = 32

    func attribute(_ object: ArchivedObject, entity: String, depth: Int) throws(ModelError) -> AttributeDescription {
        try budget.spend()
        guard depth < Self.maximumDepth else { throw malformed("composites of \(entity) contain each other") }
        guard let name = object["NSPropertyName"]?.string else {
            throw malformed("an attribute of \(entity) has no name")
        }
        let place = "\(entity).\(name)"
        unread.note(object, .attribute, place)
        let code = object["NSAttributeType"]?.integer ?? 0
        guard let type = AttributeType(rawValue: Int(code)) else {
            throw .unsupported(what: "attribute type \(code)", place: place)
        }
        var attribute = AttributeDescription(name: name, type: type, isOptional: flag(object, "NSIsOptional"))
        attribute.isTransient = flag(object, "NSIsTransient")
        attribute.isIndexed = flag(object, "NSIsIndexed")
        attribute.isReadOnly = flag(object, "NSIsReadOnly")
        attribute.isIndexedBySpotlight = flag(object, "NSIndexedBySpotlight")
        attribute.isStoredInTruthFile = flag(object, "NSIsStoredInTruthFile") || flag(object, "NSStoredInTruthFile")
        attribute.allowsCloudEncryption = flag(object, "NSAllowsCloudEncryption")
        let flags = object["NSFlagsKey"]?.integer ?? 0
        attribute.allowsExternalBinaryDataStorage = flags & 4 != 0
        attribute.preservesValueInHistoryOnDeletion = flags & 16 != 0
        if flags & ~20 != 0 { unread.add("NSFlagsKey", "\(flags & ~20)", place) }
        attribute.valueClassName = text(object["NSAttributeValueClassName"])
        attribute.valueTransformerName = text(object["NSValueTransformerName"])
        attribute.versionHashModifier = text(object["NSVersionHashModifier"])
        attribute.renamingIdentifier = renamed(object, from: name)
        attribute.userInfo = try userInfo(object, place)
        if let value = object["NSDefaultValue"] {
            attribute.defaultValue = try values.value(value, place: place).coerced(
                to: type)
        }
        attribute.validations = try validations(object, place)
        attribute.readBoundsFromValidations()
        if object.isKind(of: "NSDerivedAttributeDescription") { attribute.derivation = try derivation(object, place) }
        for element in object["NSCompositeElements"]?.elements ?? [] {
            guard let element else { continue }
            attribute.elements.append(try self.attribute(element, entity: entity, depth: depth + 1))
        }
        return attribute
    }

    private func flag(_ object: ArchivedObject, _ name: String) -> Bool { object[name]?.bool ?? false }

    private func validations(_ object: ArchivedObject, _ place: String) throws(ModelError)
        -> [AttributeDescription.Validation]
    {
        let warnings = object["NSValidationWarnings"]?.elements ?? []
        var result: [AttributeDescription.Validation] = []
        for (index, predicate) in (object["NSValidationPredicates"]?.elements ?? []).enumerated() {
            guard let predicate else { continue }
            try budget.spend()
            var validation = AttributeDescription.Validation(predicateFormat: try format(predicate, place))
            if index < warnings.count, let warning = warnings[index] {
                validation.warning = try values.value(warning, place: place)
            }
            result.append(validation)
        }
        return result
    }

    private func derivation(_ object: ArchivedObject, _ place: String) throws(ModelError) -> DerivationExpression? {
        guard let archived = object["NSDerivationExpression"] else {
            throw malformed("\(place) is derived but says not from what")
        }
        // Its text goes into the version hash, which nobody knows of an expression that cannot be read.
        let expression = try predicates(place, keeping: false).expression(archived)
        var derivation = DerivationExpression(expression)
        if let filter = object["NSFilteringPredicate"] {
            derivation.filteringPredicateFormat = try format(filter, place)
        }
        return derivation
    }

    func relationship(_ object: ArchivedObject, entity: String) throws(ModelError) -> RelationshipDescription {
        guard let name = object["NSPropertyName"]?.string else {
            throw malformed("a relationship of \(entity) has no name")
        }
        let place = "\(entity).\(name)"
        unread.note(object, .relationship, place)
        if object["NSValidationPredicates"]?.elements?.isEmpty == false {
            unread.add("NSValidationPredicates", "rules of a relationship", place)
        }
        let destination =
            object["_NSDestinationEntityName"]?.string
            ?? object["NSDestinationEntity"]?["NSEntityName"]?.string
        guard let destination else { throw malformed("relationship \(place) has no destination") }
        let code = object["NSDeleteRule"]?.integer ?? 1
        guard let rule = DeleteRule(rawValue: Int(code)) else {
            throw .unsupported(what: "delete rule \(code)", place: place)
        }
        let maximum = object["NSMaxCount"]?.integer ?? 0
        guard let maxCount = Int32(exactly: maximum), let minCount = Int32(exactly: object["NSMinCount"]?.integer ?? 0)
        else { throw malformed("relationship \(place) has a count of more than 32 bits") }
        var relationship = RelationshipDescription(name: name, destination: destination, maxCount: Int(maxCount))
        relationship.minCount = Int(minCount)
        relationship.deleteRule = rule
        relationship.inverseName =
            object["NSInverseRelationship"]?["NSPropertyName"]?.string ?? text(object["_NSInverseRelationshipName"])
        relationship.isOptional = flag(object, "NSIsOptional")
        relationship.isTransient = flag(object, "NSIsTransient")
        relationship.isOrdered = flag(object, "NSIsOrdered")
        relationship.isIndexedBySpotlight = flag(object, "NSIndexedBySpotlight")
        relationship.isStoredInTruthFile = flag(object, "NSIsStoredInTruthFile") || flag(object, "NSStoredInTruthFile")
        relationship.versionHashModifier = text(object["NSVersionHashModifier"])
        relationship.renamingIdentifier = renamed(object, from: name)
        relationship.userInfo = try userInfo(object, place)
        return relationship
    }

    func fetchedProperty(_ object: ArchivedObject, entity: String) throws(ModelError) -> FetchedPropertyDescription {
        guard let name = object["NSPropertyName"]?.string else {
            throw malformed("a fetched property of \(entity) has no name")
        }
        let place = "\(entity).\(name)"
        unread.note(object, .fetchedProperty, place)
        guard let archived = object["NSFetchRequest"] else {
            throw malformed("fetched property \(place) has no request")
        }
        var request = try fetchRequest(archived, name: FetchedPropertyDescription.requestName)
        if request.entityName.isEmpty { request.entityName = object["_NSFetchRequestEntityName"]?.string ?? "" }
        var property = FetchedPropertyDescription(name: name, request: request)
        property.isOptional = flag(object, "NSIsOptional")
        property.versionHashModifier = text(object["NSVersionHashModifier"])
        property.renamingIdentifier = renamed(object, from: name)
        property.userInfo = try userInfo(object, place)
        return property
    }

    /// A predicate of the model in NSPredicate's format.
    func format(_ object: ArchivedObject, _ place: String) throws(ModelError) -> String {
        try predicates(place).predicate(object).formatString
    }
}
