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

    /// Attributes with a value as text, each with the one that has a date's seconds in its stead.
    static let datePairs = [
        (text: "defaultValueString", seconds: "defaultDateTimeInterval"),
        (text: "minValueString", seconds: "minDateTimeInterval"),
        (text: "maxValueString", seconds: "maxDateTimeInterval"),
    ]

    func attribute(_ element: ContentsElement, _ entity: String, depth: Int) throws(ModelError) -> AttributeDescription
    {
        try budget.spend()
        let name = try name(of: element)
        let place = "\(entity).\(name)"
        let type = try type(element, "attributeType") ?? .undefined
        var attribute = AttributeDescription(name: name, type: type, isOptional: element.flag("optional"))
        attribute.isTransient = element.flag("transient")
        attribute.isIndexed = element.flag("indexed")
        attribute.isIndexedBySpotlight = element.flag("spotlightIndexingEnabled")
        attribute.isStoredInTruthFile = element.flag("storedInTruthFile")
        attribute.isSyncable = element.optionalFlag("syncable")
        attribute.allowsCloudEncryption = element.flag("allowsCloudEncryption")
        attribute.allowsExternalBinaryDataStorage = element.flag("allowsExternalBinaryDataStorage")
        attribute.preservesValueInHistoryOnDeletion = element.flag("preserveAfterDeletion")
        attribute.usesScalarValueType = element.optionalFlag("usesScalarValueType")
        attribute.valueClassName = element.text("customClassName") ?? type.defaultValueClassName
        attribute.valueTransformerName = element.text("valueTransformerName")
        attribute.versionHashModifier = element.text("versionHashModifier")
        attribute.renamingIdentifier = element.text("elementID").flatMap { $0 == name ? nil : $0 }
        attribute.userInfo = try userInfo(of: element)
        attribute.defaultValue = try value(element, Self.datePairs[0], type)
        attribute.minimum = try value(element, Self.datePairs[1], attribute.boundType)
        attribute.maximum = try value(element, Self.datePairs[2], attribute.boundType)
        attribute.regularExpression = element.text("regularExpressionString")
        attribute.addValidationsForBounds()
        if element.flag("derived") {
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
            throw .missing(what: "composite \(name)", place: "\(source), line \(element.line), \(place)")
        }
        attribute.compositeName = name
        attribute.elements = try elements(ofComposite: composite, place, depth: depth + 1)
    }

    /// The elements of a composite, in declared order.
    func elements(ofComposite composite: ContentsElement, _ place: String, depth: Int) throws(ModelError)
        -> [AttributeDescription]
    {
        var elements: [AttributeDescription] = []
        var seen: Set<String> = []
        for child in composite.children {
            let element = try attribute(child, place, depth: depth)
            guard seen.insert(element.name).inserted else {
                throw malformed(child, "composite \(composite.attributes["name"] ?? "") has \(element.name) twice")
            }
            elements.append(element)
        }
        return elements
    }

    /// A value that `contents` holds as text, or as seconds since 2001 if it is a date.
    private func value(
        _ element: ContentsElement, _ names: (text: String, seconds: String), _ type: AttributeType
    ) throws(ModelError) -> ModelValue? {
        if let text = element.attributes[names.seconds] {
            guard let seconds = Double(text), seconds.isFinite else {
                throw malformed(element, "\(names.seconds) `\(text)` is no number of seconds")
            }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        }
        return element.attributes[names.text].flatMap { ModelValue(contentsText: $0, type: type) }
    }

    /// The type that an attribute of the element names; nil where it names none.
    func type(_ element: ContentsElement, _ attribute: String) throws(ModelError) -> AttributeType? {
        guard let name = element.attributes[attribute] else { return nil }
        guard let type = AttributeType.namesInContents[name] else {
            throw unsupported(element, "\(attribute) `\(name)`")
        }
        return type
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
            parsed = ContentsElement.flagValues[text.uppercased()].map { .bool($0) }
        case .uuid: parsed = UUID(uuidString: text).map { .uuid($0) }
        case .uri: parsed = .url(text)
        default: parsed = nil
        }
        self = parsed ?? .string(text)
    }
}
