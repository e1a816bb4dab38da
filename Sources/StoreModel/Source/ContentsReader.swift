import Foundation

/// Reads the `contents` of an `.xcdatamodel`: Xcode's XML form of a model since 2011 (Format, section 11).
struct ContentsReader {
    let source: String
    /// Composites that name each other unfold in every attribute that names them.
    let budget: ReadingBudget
    /// The composites that attributes name.
    private let composites: [String: ContentsElement]
    private let root: ContentsElement

    /// - Throws: ``ModelError`` if the bytes are no such XML.
    init(_ data: Data, source: String) throws(ModelError) {
        self.source = source
        budget = ReadingBudget(source: source)
        root = try ContentsParser.parse(data, source: source)
        guard root.name == "model" else {
            throw .malformed(source: source, reason: "its XML is a <\(root.name)>, not a <model>")
        }
        composites = Dictionary(
            root.children("composite").map { ($0.attributes["name"] ?? "", $0) },
            uniquingKeysWith: { first, _ in first })
    }

    func malformed(_ element: ContentsElement, _ reason: String) -> ModelError {
        .malformed(source: source, reason: "line \(element.line): \(reason)")
    }

    func name(of element: ContentsElement) throws(ModelError) -> String {
        guard let name = element.text("name") else { throw malformed(element, "<\(element.name)> has no name") }
        return name
    }

    /// The model.
    /// - Throws: ``ModelError`` that names the line.
    func model() throws(ModelError) -> ModelDescription {
        var entities: [EntityDescription] = []
        var model = ModelDescription()
        var seen: Set<String> = []
        for element in root.children {
            switch element.name {
            case "entity":
                let entity = try entity(element)
                guard seen.insert(entity.name).inserted else {
                    throw malformed(element, "entity \(entity.name) is there twice")
                }
                entities.append(entity)
            case "configuration":
                model.configurations[try name(of: element)] =
                    element.children("memberEntity").compactMap { $0.attributes["name"] }.sorted()
            case "fetchRequest":
                model.fetchRequestTemplates.append(try fetchRequest(element))
            case "composite", "elements":
                // Composites are read where attributes name them; `elements` is the editor's layout.
                break
            default:
                throw .unsupported(what: "element <\(element.name)>", place: "\(source), line \(element.line)")
            }
        }
        if let identifier = root.attributes["userDefinedModelVersionIdentifier"] {
            model.versionIdentifiers = [identifier]
        }
        model.entities = entities
        try model.checkInheritance()
        return model
    }

    private func entity(_ element: ContentsElement) throws(ModelError) -> EntityDescription {
        var entity = EntityDescription(name: try name(of: element), superentityName: element.text("parentEntity"))
        entity.className = element.text("representedClassName").flatMap { $0 == "NSManagedObject" ? nil : $0 }
        entity.isAbstract = element.flag("isAbstract")
        entity.versionHashModifier = element.text("versionHashModifier")
        entity.renamingIdentifier = element.text("elementID").flatMap { $0 == entity.name ? nil : $0 }
        entity.isSyncable = element.flag("syncable", absent: true)
        entity.codeGenerationType = element.text("codeGenerationType")
        var seen: Set<String> = []
        for child in element.children {
            if ["attribute", "relationship", "fetchedProperty"].contains(child.name) {
                let name = try name(of: child)
                guard seen.insert(name).inserted else {
                    throw malformed(child, "property \(entity.name).\(name) is there twice")
                }
            }
            switch child.name {
            case "attribute": entity.attributes.append(try attribute(child, entity.name, depth: 0))
            case "relationship": entity.relationships.append(try relationship(child, entity.name))
            case "fetchedProperty": entity.fetchedProperties.append(try fetchedProperty(child, entity.name))
            case "fetchIndex": entity.fetchIndexes.append(try fetchIndex(child, entity.name))
            case "compoundIndexes":
                entity.compoundIndexes += try lists(child, "compoundIndex", "index")
            case "uniquenessConstraints":
                entity.uniquenessConstraints += try lists(child, "uniquenessConstraint", "constraint")
            case "userInfo": entity.userInfo = try userInfo(child)
            default:
                throw .unsupported(
                    what: "element <\(child.name)> in entity \(entity.name)", place: "\(source), line \(child.line)")
            }
        }
        return entity
    }

    private func lists(_ element: ContentsElement, _ outer: String, _ inner: String) throws(ModelError) -> [[String]] {
        var result: [[String]] = []
        for list in element.children(outer) {
            var names: [String] = []
            for part in list.children(inner) {
                guard let value = part.text("value") else { throw malformed(part, "<\(inner)> has no value") }
                names.append(value)
            }
            result.append(names)
        }
        return result
    }

    func userInfo(_ element: ContentsElement) throws(ModelError) -> [String: ModelValue] {
        var result: [String: ModelValue] = [:]
        for entry in element.children("entry") {
            guard let key = entry.attributes["key"] else { throw malformed(entry, "<entry> has no key") }
            result[key] = .string(entry.attributes["value"] ?? "")
        }
        return result
    }

    /// What stands in a property besides its attributes: `userInfo`, and nothing else that is known.
    func userInfo(of property: ContentsElement, allowing others: Set<String> = []) throws(ModelError)
        -> [String: ModelValue]
    {
        var result: [String: ModelValue] = [:]
        for child in property.children where !others.contains(child.name) {
            guard child.name == "userInfo" else {
                throw .unsupported(
                    what: "element <\(child.name)> in \(property.attributes["name"] ?? "")",
                    place: "\(source), line \(child.line)")
            }
            result = try userInfo(child)
        }
        return result
    }

    func composite(_ name: String) -> ContentsElement? { composites[name] }
}
