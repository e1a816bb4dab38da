/// The elements of `contents` with what may stand in them (Format, section 11).
struct ContentsVocabulary {
    private let attributes: Set<String>
    private let children: Set<String>

    private init(_ attributes: Set<String>, _ children: Set<String> = []) {
        self.attributes = attributes
        self.children = children
    }

    /// What an editor may note of any property.
    private static let property: Set<String> = [
        "name", "optional", "transient", "syncable", "elementID", "versionHashModifier", "spotlightIndexingEnabled",
        "storedInTruthFile",
    ]

    /// The attributes that say yes or no.
    private static let flags: Set<String> = [
        "optional", "transient", "syncable", "spotlightIndexingEnabled", "storedInTruthFile", "isAbstract",
        "usesScalarValueType", "indexed", "allowsExternalBinaryDataStorage", "preserveAfterDeletion",
        "allowsCloudEncryption", "derived", "toMany", "ordered", "includeSubentities", "includePropertyValues",
        "includesPendingChanges", "returnObjectsAsFaults", "returnDistinctResults",
    ]

    /// The one attribute of `<model>` that says something of the model; all others are notes on the document.
    static let modelIdentifier = "userDefinedModelVersionIdentifier"

    private static let elements: [String: ContentsVocabulary] = [
        "entity": .init(
            [
                "name", "representedClassName", "parentEntity", "isAbstract", "codeGenerationType", "elementID",
                "syncable",
                "versionHashModifier",
            ],
            [
                "attribute", "relationship", "fetchedProperty", "fetchIndex", "compoundIndexes",
                "uniquenessConstraints",
                "userInfo",
            ]),
        "attribute": .init(
            property.union([
                "attributeType", "usesScalarValueType", "defaultValueString", "defaultDateTimeInterval",
                "minValueString",
                "maxValueString", "minDateTimeInterval", "maxDateTimeInterval", "regularExpressionString",
                "valueTransformerName", "customClassName", "indexed", "allowsExternalBinaryDataStorage",
                "preserveAfterDeletion", "allowsCloudEncryption", "composite", "derived", "derivationExpression",
                "filteringPredicate",
            ]), ["userInfo"]),
        "relationship": .init(
            property.union([
                "destinationEntity", "inverseName", "inverseEntity", "deletionRule", "deleteRule", "toMany", "minCount",
                "maxCount", "ordered",
            ]), ["userInfo"]),
        "fetchedProperty": .init(
            ["name", "optional", "syncable", "elementID", "versionHashModifier"], ["fetchRequest", "userInfo"]),
        "fetchRequest": .init([
            "name", "entity", "predicateString", "fetchLimit", "fetchBatchSize", "resultType", "includeSubentities",
            "includePropertyValues", "includesPendingChanges", "returnObjectsAsFaults", "returnDistinctResults",
        ]),
        "fetchIndex": .init(["name", "partialIndexPredicate"], ["fetchIndexElement"]),
        "fetchIndexElement": .init(["property", "expression", "expressionType", "type", "order"]),
        "compoundIndexes": .init([], ["compoundIndex"]),
        "compoundIndex": .init([], ["index"]),
        "index": .init(["value"]),
        "uniquenessConstraints": .init([], ["uniquenessConstraint"]),
        "uniquenessConstraint": .init([], ["constraint"]),
        "constraint": .init(["value"]),
        "userInfo": .init([], ["entry"]),
        "entry": .init(["key", "value"]),
        "configuration": .init(["name"], ["memberEntity"]),
        "memberEntity": .init(["name"]),
        "composite": .init(["name"], ["attribute"]),
    ]

    private static let topLevel: Set<String> = ["entity", "configuration", "fetchRequest", "composite", "elements"]

    /// Goes through a whole model, the editor's layout in `<elements>` left out.
    /// - Returns: the attributes that have no meaning here.
    /// - Throws: ``ModelError/unsupported(what:place:)`` for an element that has none: it may say something of how objects
    ///   are stored; ``ModelError/malformed(source:reason:)`` for a flag that is neither yes nor no.
    static func unreadParts(_ model: ContentsElement, source: String) throws(ModelError) -> [UnreadPart] {
        var parts: [UnreadPart] = []
        for child in model.children where child.name != "elements" {
            guard topLevel.contains(child.name) else { throw unknown(child, source) }
            try collect(child, place: "", source, &parts)
        }
        return parts
    }

    private static func unknown(_ element: ContentsElement, _ source: String) -> ModelError {
        .unsupported(what: "element <\(element.name)>", place: "\(source), line \(element.line)")
    }

    private static func collect(
        _ element: ContentsElement, place: String, _ source: String, _ parts: inout [UnreadPart]
    ) throws(ModelError) {
        guard let known = elements[element.name] else { throw unknown(element, source) }
        let own = element.text("name").map { "\(element.name) \($0)" } ?? element.name
        let place = place.isEmpty ? own : "\(place), \(own)"
        for (name, value) in element.attributes where flags.contains(name) && known.attributes.contains(name) {
            guard ContentsElement.flagValues[value.uppercased()] == nil else { continue }
            throw .malformed(source: source, reason: "line \(element.line): \(name) is `\(value)`, not YES or NO")
        }
        let idle = known.attributes.isEmpty ? [] : idleAttributes(of: element)
        for (name, value) in element.attributes.sorted(by: { $0.key < $1.key })
        where !known.attributes.contains(name) || idle.contains(name) {
            parts.append(UnreadPart(place: place, name: name, value: value, line: element.line))
        }
        for child in element.children {
            guard known.children.contains(child.name) else { throw unknown(child, source) }
            try collect(child, place: place, source, &parts)
        }
    }

    /// Attributes that another one makes meaningless.
    private static func idleAttributes(of element: ContentsElement) -> Set<String> {
        var idle: Set<String> = []
        switch element.name {
        case "attribute":
            // A date's seconds count; beside them its text is what somebody typed.
            for (text, seconds) in ContentsReader.datePairs where element.attributes[seconds] != nil {
                idle.insert(text)
            }
            if !element.flag("derived") { idle.formUnion(["derivationExpression", "filteringPredicate"]) }
            if element.attributes["attributeType"] != "Composite" { idle.insert("composite") }
        case "relationship":
            if element.text("inverseName") == nil { idle.insert("inverseEntity") }
            // The counts decide: a to-one has a maximum of 1.
            if element.flag("toMany"), element.attributes["maxCount"] == "1" { idle.insert("toMany") }
            if element.text("deletionRule") != nil { idle.insert("deleteRule") }
        case "fetchIndexElement":
            if element.text("property") != nil { idle.formUnion(["expression", "expressionType"]) }
        default: break
        }
        return idle
    }
}
