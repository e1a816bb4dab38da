import Foundation

extension AttributeType {
    /// The names that `contents` has for the types (Format, section 11).
    static let namesInContents: [String: AttributeType] = [
        "Undefined": .undefined, "Integer 16": .integer16, "Integer 32": .integer32, "Integer 64": .integer64,
        "Decimal": .decimal, "Double": .double, "Float": .float, "String": .string, "Boolean": .boolean, "Date": .date,
        "Binary": .binaryData, "UUID": .uuid, "URI": .uri, "Transformable": .transformable, "ObjectID": .objectID,
        "Composite": .composite,
    ]

    /// The class of the type's values, as compiled models name it.
    public var defaultValueClassName: String? {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
        case .decimal: "NSDecimalNumber"
        case .string: "NSString"
        case .date: "NSDate"
        case .binaryData: "NSData"
        case .uuid: "NSUUID"
        case .uri: "NSURL"
        case .composite: "NSDictionary"
        case .undefined, .transformable, .objectID: nil
        }
    }
}

extension ContentsReader {
    private static let maximumCompositeDepth = 16

    func attribute(_ element: ContentsElement, _ entity: String, depth: Int) throws(ModelError) -> AttributeDescription
    {
        try budget.spend()
        let name = try name(of: element)
        let place = "\(entity).\(name)"
        let typeName = element.attributes["attributeType"] ?? "Undefined"
        guard let type = AttributeType.namesInContents[typeName] else {
            throw .unsupported(what: "attribute type \(typeName)", place: "\(source), \(place)")
        }
        var attribute = AttributeDescription(name: name, type: type, isOptional: element.flag("optional"))
        attribute.isTransient = element.flag("transient")
        attribute.isIndexed = element.flag("indexed")
        attribute.isIndexedBySpotlight = element.flag("spotlightIndexingEnabled")
        attribute.isStoredInTruthFile = element.flag("storedInTruthFile")
        attribute.isSyncable = element.flag("syncable", absent: true)
        attribute.allowsCloudEncryption = element.flag("allowsCloudEncryption")
        attribute.allowsExternalBinaryDataStorage = element.flag("allowsExternalBinaryDataStorage")
        attribute.preservesValueInHistoryOnDeletion = element.flag("preserveAfterDeletion")
        if element.attributes["usesScalarValueType"] != nil {
            attribute.usesScalarValueType = element.flag("usesScalarValueType")
        }
        attribute.valueClassName = element.text("customClassName") ?? type.defaultValueClassName
        attribute.valueTransformerName = element.text("valueTransformerName")
        attribute.versionHashModifier = element.text("versionHashModifier")
        attribute.renamingIdentifier = element.text("elementID").flatMap { $0 == name ? nil : $0 }
        attribute.userInfo = try userInfo(of: element)
        attribute.defaultValue = value(element, "defaultValueString", "defaultDateTimeInterval", type)
        attribute.minimum = value(element, "minValueString", "minDateTimeInterval", attribute.boundType)
        attribute.maximum = value(element, "maxValueString", "maxDateTimeInterval", attribute.boundType)
        attribute.regularExpression = element.text("regularExpressionString")
        attribute.addValidationsForBounds()
        if element.flag("derived") || element.attributes["derivationExpression"] != nil {
            attribute.derivation = try derivation(element, place)
            attribute.isReadOnly = true
        }
        if type == .composite { try readElements(of: &attribute, element, place, depth) }
        return attribute
    }

    private func derivation(_ element: ContentsElement, _ place: String) throws(ModelError) -> DerivationExpression {
        guard let text = element.text("derivationExpression") else {
            throw malformed(element, "\(place) is derived but has no derivationExpression")
        }
        do {
            return try DerivationExpression(parsing: text, filter: element.text("filteringPredicate"))
        } catch {
            throw malformed(element, "the derivation of \(place): \(error)")
        }
    }

    private func readElements(
        of attribute: inout AttributeDescription, _ element: ContentsElement, _ place: String, _ depth: Int
    ) throws(ModelError) {
        guard let name = element.text("composite") else {
            throw malformed(element, "\(place) is a composite but names none")
        }
        guard depth < Self.maximumCompositeDepth else { throw malformed(element, "composite \(name) contains itself") }
        guard let composite = composite(name) else {
            throw .missing(what: "composite \(name)", place: "\(source), \(place)")
        }
        attribute.compositeName = name
        for child in composite.children("attribute") {
            attribute.elements.append(try self.attribute(child, place, depth: depth + 1))
        }
    }

    /// A value that `contents` holds as text, or as seconds since 2001 if it is a date.
    private func value(_ element: ContentsElement, _ text: String, _ seconds: String, _ type: AttributeType)
        -> ModelValue?
    {
        if let text = element.attributes[seconds], let seconds = Double(text) {
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        }
        return element.attributes[text].flatMap { ModelValue(contentsText: $0, type: type) }
    }
}

extension ModelValue {
    /// A default or bound as `contents` writes it. Text that is no value of the type stays text; for other types than
    /// strings, empty is none.
    init?(contentsText text: String, type: AttributeType) {
        if type == .string {
            self = .string(text)
            return
        }
        if text.isEmpty { return nil }
        let parsed: ModelValue?
        switch type {
        case .integer16, .integer32, .integer64:
            parsed =
                Int64(text).map { .integer($0) } ?? Double(text).flatMap { Int64(exactly: $0) }.map { .integer($0) }
        case .double, .float: parsed = Double(text).map { .double($0) }
        case .decimal: parsed = Decimal(boundedText: text).map { .decimal($0) }
        case .boolean:
            parsed = ["YES": true, "NO": false, "true": true, "false": false, "1": true, "0": false][text].map {
                .bool($0)
            }
        case .uuid: parsed = UUID(uuidString: text).map { .uuid($0) }
        case .uri: parsed = .url(text)
        default: parsed = nil
        }
        self = parsed ?? .string(text)
    }
}
