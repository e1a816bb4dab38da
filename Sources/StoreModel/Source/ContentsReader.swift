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
        root = try ContentsElement.parse(data, source: source)
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

    func unsupported(_ element: ContentsElement, _ what: String) -> ModelError {
        .unsupported(what: what, place: "\(source), line \(element.line)")
    }

    /// The model.
    /// - Throws: ``ModelError`` that names the line.
    func model() throws(ModelError) -> ModelDescription {
        var model = ModelDescription()
        model.unreadParts = try ContentsVocabulary.unreadParts(root, source: source)
        var seen: Set<String> = []
        func checkNew(_ element: ContentsElement) throws(ModelError) {
            let name = try name(of: element)
            guard seen.insert("\(element.name) \(name)").inserted else {
                throw malformed(element, "\(element.name) \(name) is there twice")
            }
        }
        var entities: [EntityDescription] = []
        for element in root.children where element.name != "elements" {
            try checkNew(element)
            switch element.name {
            case "entity": entities.append(try entity(element))
            case "configuration": model.configurations[try name(of: element)] = try members(element)
            case "fetchRequest": model.fetchRequestTemplates.append(try fetchRequest(element))
            default: model.composites.append(try composite(element))
            }
        }
        model.documentAttributes = root.attributes
        if let identifier = model.documentAttributes.removeValue(forKey: ContentsVocabulary.modelIdentifier) {
            model.versionIdentifiers = [identifier]
        }
        model.entities = entities
        try check(model)
        return model
    }

    /// Checks what entities name, and says at which line they do.
    private func check(_ model: ModelDescription) throws(ModelError) {
        let elements = Dictionary(
            root.children("entity").map { ($0.attributes["name"] ?? "", $0) }, uniquingKeysWith: { first, _ in first })
        for entity in model.entities {
            guard let parent = entity.superentityName, model[parent] == nil else { continue }
            let line = elements[entity.name]?.line ?? 0
            throw .missing(what: "parent entity \(parent)", place: "\(source), line \(line), entity \(entity.name)")
        }
        do {
            try model.checkInheritance()
        } catch {
            guard case .inheritanceCycle(let name) = error, let element = elements[name] else { throw error }
            throw malformed(element, "\(error)")
        }
        if let broken = model.brokenOverride {
            let element = elements[broken.entity]?.children.first { $0.attributes["name"] == broken.property }
            throw element.map { malformed($0, broken.what) } ?? .malformed(source: source, reason: broken.what)
        }
        if let broken = model.brokenReference {
            let element = elements[broken.entity]?.children("relationship").first {
                $0.attributes["name"] == broken.relationship
            }
            throw .missing(
                what: broken.what,
                place: "\(source), line \(element?.line ?? 0), relationship \(broken.entity).\(broken.relationship)")
        }
    }

    private func members(_ configuration: ContentsElement) throws(ModelError) -> [String] {
        var members: [String] = []
        for member in configuration.children { members.append(try name(of: member)) }
        return members.sorted()
    }

    private func composite(_ element: ContentsElement) throws(ModelError) -> CompositeDescription {
        let name = try name(of: element)
        return CompositeDescription(name: name, elements: try elements(ofComposite: element, name, depth: 1))
    }

    private func entity(_ element: ContentsElement) throws(ModelError) -> EntityDescription {
        var entity = EntityDescription(name: try name(of: element), superentityName: element.text("parentEntity"))
        entity.className = element.text("representedClassName").flatMap { $0 == "NSManagedObject" ? nil : $0 }
        entity.isAbstract = element.flag("isAbstract")
        entity.versionHashModifier = element.text("versionHashModifier")
        entity.renamingIdentifier = element.text("elementID").flatMap { $0 == entity.name ? nil : $0 }
        entity.isSyncable = element.optionalFlag("syncable")
        entity.codeGenerationType = element.text("codeGenerationType")
        entity.userInfo = try userInfo(of: element)
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
            case "compoundIndexes": entity.compoundIndexes += try lists(child)
            case "uniquenessConstraints": entity.uniquenessConstraints += try lists(child)
            default: break
            }
        }
        return entity
    }

    /// The values in each list of an element: property names of indexes or constraints.
    private func lists(_ element: ContentsElement) throws(ModelError) -> [[String]] {
        var result: [[String]] = []
        for list in element.children {
            var names: [String] = []
            for part in list.children {
                guard let value = part.text("value") else { throw malformed(part, "<\(part.name)> has no value") }
                names.append(value)
            }
            guard !names.isEmpty else { throw malformed(list, "<\(list.name)> names no property") }
            result.append(names)
        }
        return result
    }

    /// The notes in an element's `userInfo`.
    func userInfo(of element: ContentsElement) throws(ModelError) -> [String: ModelValue] {
        var result: [String: ModelValue] = [:]
        for entry in element.children("userInfo").flatMap(\.children) {
            guard let key = entry.attributes["key"] else { throw malformed(entry, "<entry> has no key") }
            let former = result.updateValue(.string(entry.attributes["value"] ?? ""), forKey: key)
            guard former == nil else { throw malformed(entry, "userInfo has the key \(key) twice") }
        }
        return result
    }

    func composite(_ name: String) -> ContentsElement? { composites[name] }
}
