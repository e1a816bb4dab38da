import Foundation
import KeyedArchive

/// Reads the archive of an `NSManagedObjectModel`, from a `.mom` or a store's cache (Format, section 7).
struct ModelArchiveReader {
    /// What is read, for errors.
    let source: String
    let budget: ReadingBudget
    /// What the archive says beyond what is read.
    let unread = UnreadKeys()

    init(source: String) {
        self.source = source
        budget = ReadingBudget(source: source)
    }

    var values: ModelValueUnarchiver { ModelValueUnarchiver(source: source, budget: budget) }

    /// - Parameter keeping: whether parts that nothing here evaluates are kept as they stand; else they are refused.
    func predicates(_ place: String, keeping: Bool = true) -> PredicateUnarchiver {
        PredicateUnarchiver(source: source, place: place, budget: budget, unread: keeping ? unread : nil)
    }

    func malformed(_ reason: String) -> ModelError { .malformed(source: source, reason: reason) }

    func model(_ root: ArchivedObject) throws(ModelError) -> ModelDescription {
        guard let named = root["NSEntities"]?.namedEntries else { throw malformed("it has no NSEntities") }
        var entities: [EntityDescription] = []
        var isSwiftSchema = false
        var seen: Set<String> = []
        for (name, object) in named {
            let entity = try entity(object, key: name)
            guard seen.insert(entity.name).inserted else { throw malformed("entity \(entity.name) is there twice") }
            entities.append(entity)
            if object["NSUniqueTuples"]?.elements?.isEmpty == true { isSwiftSchema = true }
        }
        entities.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        try ModelDescription(entities: entities).checkInheritance()
        Self.dropInherited(&entities)
        var model = ModelDescription(entities: entities)
        if let broken = model.brokenOverride { throw malformed(broken.what) }
        if let broken = model.brokenReference {
            throw .missing(what: broken.what, place: "\(source), relationship \(broken.entity).\(broken.relationship)")
        }
        model.isSwiftSchema = isSwiftSchema
        readDocument(root, &model)
        model.versionIdentifiers = strings(root["NSVersionIdentifiers"]).sorted()
        for (name, members) in root["NSConfigurations"]?.namedEntries ?? [] {
            model.configurations[name] = (members.elements ?? []).compactMap {
                $0?.string ?? $0?["NSEntityName"]?.string
            }.sorted()
        }
        for (name, object) in root["NSFetchRequestTemplates"]?.namedEntries ?? [] {
            model.fetchRequestTemplates.append(try fetchRequest(object, name: name))
        }
        model.fetchRequestTemplates.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        model.unreadParts = unread.parts
        return model
    }

    /// What the compiler notes of itself.
    private func readDocument(_ root: ArchivedObject, _ model: inout ModelDescription) {
        unread.note(root, .model, "")
        for name in ArchiveVocabulary.documentKeys {
            guard let value = root[name] else { continue }
            model.documentAttributes[name] = value.string ?? value.integer.map { "\($0)" } ?? value.real.map { "\($0)" }
        }
    }

    /// Caches repeat inherited properties on every subentity, as copies; what remains is what an entity declares. What
    /// differs from the inherited one is no copy: the entity declares it anew.
    private static func dropInherited(_ entities: inout [EntityDescription]) {
        let model = ModelDescription(entities: entities)
        for index in entities.indices {
            var attributes: [String: AttributeDescription] = [:]
            var relationships: [String: RelationshipDescription] = [:]
            var fetched: [String: FetchedPropertyDescription] = [:]
            for ancestor in model.inheritanceChain(of: entities[index].name).dropLast() {
                for attribute in ancestor.attributes { attributes[attribute.name] = attribute }
                for relationship in ancestor.relationships { relationships[relationship.name] = relationship }
                for property in ancestor.fetchedProperties { fetched[property.name] = property }
            }
            entities[index].attributes.removeAll { attributes[$0.name] == $0 }
            entities[index].relationships.removeAll { relationships[$0.name] == $0 }
            entities[index].fetchedProperties.removeAll { fetched[$0.name] == $0 }
        }
    }

    func strings(_ object: ArchivedObject?) -> [String] {
        (object?.elements ?? []).compactMap { $0?.string ?? $0?.integer.map { "\($0)" } }
    }

    /// Text that counts as absent when it is empty.
    func text(_ object: ArchivedObject?) -> String? {
        guard let text = object?.string, !text.isEmpty else { return nil }
        return text
    }

    func userInfo(_ object: ArchivedObject, _ place: String) throws(ModelError) -> [String: ModelValue] {
        guard let entries = object["NSUserInfo"]?.entries else { return [:] }
        var result: [String: ModelValue] = [:]
        for (key, value) in entries {
            guard let key = key.string else { throw malformed("a key in the userInfo of \(place) is no text") }
            result[key] = try values.value(value, place: place)
        }
        return result
    }

    private func entity(_ object: ArchivedObject, key: String) throws(ModelError) -> EntityDescription {
        // What refers to an entity does so by this name.
        guard let name = object["NSEntityName"]?.string, !name.isEmpty else {
            throw malformed("entity \(key) has no NSEntityName")
        }
        unread.note(object, .entity, "entity \(name)")
        var entity = EntityDescription(name: name, superentityName: object["NSSuperentity"]?["NSEntityName"]?.string)
        if let className = text(object["NSClassNameForEntity"]), className != "NSManagedObject" {
            entity.className = className
        }
        entity.isAbstract = object["NSIsAbstract"]?.bool ?? false
        entity.versionHashModifier = text(object["NSVersionHashModifier"])
        entity.renamingIdentifier = renamed(object, from: name)
        entity.userInfo = try userInfo(object, "entity \(name)")
        entity.uniquenessConstraints = try tuples(object["NSUniqueTuples"], "uniqueness constraint of \(name)")
        entity.compoundIndexes = try tuples(object["NSCompoundIndexes"], "compound index of \(name)")
        for element in object["NSFetchIndexDescriptions"]?.elements ?? [] {
            if let element { entity.fetchIndexes.append(try fetchIndex(element, entity: name)) }
        }
        for (_, property) in object["NSProperties"]?.namedEntries ?? [] {
            try budget.spend()
            // A proxy stands for an inherited property, and so does a property that belongs to another entity.
            if property.className == "_NSPropertyDescriptionProxy" { continue }
            if let owner = property["NSEntity"]?["NSEntityName"]?.string, owner != name { continue }
            try add(property, to: &entity)
        }
        entity.attributes.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        entity.relationships.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        entity.fetchedProperties.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return entity
    }

    /// The archive repeats the name where nothing was renamed.
    func renamed(_ object: ArchivedObject, from name: String) -> String? {
        guard let identifier = text(object["NSRenamingIdentifier"]), identifier != name else { return nil }
        return identifier
    }

    /// Lists of property names; where an element is a property itself, its name.
    private func tuples(_ object: ArchivedObject?, _ place: String) throws(ModelError) -> [[String]] {
        var result: [[String]] = []
        for tuple in object?.elements ?? [] {
            try budget.spend()
            guard let parts = tuple?.elements else { throw malformed("a \(place) is no list") }
            var names: [String] = []
            for part in parts {
                try budget.spend()
                guard let name = part?.string ?? part?["NSPropertyName"]?.string else {
                    throw malformed("a \(place) names no property")
                }
                names.append(name)
            }
            result.append(names)
        }
        return result
    }

    private func add(_ property: ArchivedObject, to entity: inout EntityDescription) throws(ModelError) {
        guard let name = property["NSPropertyName"]?.string else {
            throw malformed("a property of \(entity.name) has no name")
        }
        if property.isKind(of: "NSAttributeDescription") {
            entity.attributes.append(try attribute(property, entity: entity.name, depth: 0))
        } else if property.isKind(of: "NSRelationshipDescription") {
            entity.relationships.append(try relationship(property, entity: entity.name))
        } else if property.isKind(of: "NSFetchedPropertyDescription") {
            entity.fetchedProperties.append(try fetchedProperty(property, entity: entity.name))
        } else {
            throw .unsupported(
                what: "a property of class \(property.className ?? "(none)")", place: "\(entity.name).\(name)")
        }
    }
}
