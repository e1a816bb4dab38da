import Foundation
import KeyedArchive

/// Writes a model as the archive that a store's cache holds, in the form of Apple's newest frameworks (Format, section 7):
/// entities in a dictionary of known keys, inherited properties repeated on subentities as copies.
struct ModelArchiveWriter {
    let model: ModelDescription
    var archiver = KeyedArchiver()
    /// The places of entities, taken before anything is filled in: they refer to each other.
    var entities: [String: KeyedArchiver.Reference] = [:]
    /// The places of relationships, by entity and name, inherited ones among them.
    var relationships: [String: [String: KeyedArchiver.Reference]] = [:]
    private let root: KeyedArchiver.Reference

    init(_ model: ModelDescription) {
        self.model = model
        root = archiver.reserve()
    }

    /// The archive.
    /// - Throws: ``ModelError``.
    mutating func data() throws(ModelError) -> Data {
        try model.checkInheritance()
        let ordered = model.entities.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        for entity in ordered { entities[entity.name] = archiver.reserve() }
        for entity in ordered {
            for relationship in model.relationships(of: entity.name) {
                relationships[entity.name, default: [:]][relationship.name] = archiver.reserve()
            }
        }
        let dictionary = knownKeys(ordered.map(\.name))
        for entity in ordered { try fill(entity) }
        let configurations = try self.configurations()
        let templates = try self.templates()
        let identifiers = archiver.collection(
            "NSSet", model.versionIdentifiers.map { archiver.value(.string($0)) })
        var fields: PropertyListDictionary = [
            "NSEntities": dictionary.node, "NSFetchRequestTemplates": templates.node,
            "NSVersionIdentifiers": identifiers.node,
        ]
        if !model.configurations.isEmpty { fields["NSConfigurations"] = configurations.node }
        archiver.fill(root, "NSManagedObjectModel", bases: ["NSObject"], fields)
        do {
            return try archiver.archive(root: root)
        } catch {
            throw .unsupported(what: "a value (\(error))", place: "the model")
        }
    }

    func entity(_ name: String, _ place: String) throws(ModelError) -> KeyedArchiver.Reference {
        guard let reference = entities[name] else { throw .missing(what: "entity \(name)", place: place) }
        return reference
    }

    /// `NSKnownKeysDictionary1`: values in an array beside a strategy that maps keys to places.
    private mutating func knownKeys(_ names: [String]) -> KeyedArchiver.Reference {
        let keys = archiver.collection("NSArray", names.map { archiver.string($0) })
        let strategy = archiver.object(
            "NSKnownKeysMappingStrategy1", bases: ["NSKnownKeysMappingStrategy", "NSObject"],
            ["length": .integer(Int64(names.count)), "keys": keys.node, "version": .integer(1)])
        let values = archiver.collection("NSArray", names.compactMap { entities[$0] })
        let token = archiver.string("__empty_slot_token_4c24_98dc_ac1e_b773__")
        return archiver.object(
            "NSKnownKeysDictionary1",
            bases: ["NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary", "NSObject"],
            [
                "values": values.node, "searchMapping": strategy.node, "emptyToken": token.node,
                "version": .integer(1),
            ])
    }

    private mutating func configurations() throws(ModelError) -> KeyedArchiver.Reference {
        var entries: [(key: KeyedArchiver.Reference, value: KeyedArchiver.Reference)] = []
        for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
            var references: [KeyedArchiver.Reference] = []
            for member in members { references.append(try entity(member, "configuration \(name)")) }
            entries.append((archiver.string(name), archiver.collection("NSSet", references)))
        }
        return archiver.dictionary("NSMutableDictionary", entries)
    }

    private mutating func templates() throws(ModelError) -> KeyedArchiver.Reference {
        guard !model.fetchRequestTemplates.isEmpty else { return .null }
        var entries: [(key: KeyedArchiver.Reference, value: KeyedArchiver.Reference)] = []
        for template in model.fetchRequestTemplates {
            entries.append((archiver.string(template.name), try fetchRequest(template)))
        }
        return archiver.dictionary("NSMutableDictionary", entries)
    }

    private mutating func fill(_ entity: EntityDescription) throws(ModelError) {
        guard let place = entities[entity.name] else { return }
        let name = archiver.string(entity.name)
        let properties = try self.properties(of: entity)
        let subentities = archiver.dictionary(
            "NSMutableDictionary",
            model.subentities(of: entity.name).compactMap { child in
                entities[child.name].map { (archiver.string(child.name), $0) }
            })
        var fields: PropertyListDictionary = [
            "NSEntityName": name.node, "NSClassNameForEntity": archiver.string(entity.className).node,
            "NSRenamingIdentifier": archiver.string(entity.renamingIdentifier ?? entity.name).node,
            "NSSuperentity": (entity.superentityName.flatMap { entities[$0] } ?? .null).node,
            "NSSubentities": subentities.node, "NSProperties": properties.node,
            "NSVersionHashModifier": archiver.string(entity.versionHashModifier).node,
            "NSUserInfo": try userInfo(entity.userInfo, "entity \(entity.name)").node,
            "NSManagedObjectModel": root.node,
        ]
        if entity.isAbstract { fields["NSIsAbstract"] = .bool(true) }
        if model.isSwiftSchema || !entity.uniquenessConstraints.isEmpty {
            fields["NSUniqueTuples"] = tuples(entity.uniquenessConstraints).node
        }
        if !entity.compoundIndexes.isEmpty || !entity.fetchIndexes.isEmpty {
            fields["NSCompoundIndexes"] = tuples(entity.compoundIndexes).node
            var indexes: [KeyedArchiver.Reference] = []
            for index in entity.fetchIndexes { indexes.append(try fetchIndex(index, entity.name)) }
            fields["NSFetchIndexDescriptions"] = archiver.collection("NSMutableArray", indexes).node
        }
        archiver.fill(place, "NSEntityDescription", bases: ["NSObject"], fields)
    }

    private mutating func tuples(_ lists: [[String]]) -> KeyedArchiver.Reference {
        let tuples = lists.map { names in
            let parts = names.map { archiver.string($0) }
            return archiver.collection("NSMutableArray", parts)
        }
        return archiver.collection("NSMutableArray", tuples)
    }

    mutating func userInfo(_ info: [String: ModelValue], _ place: String) throws(ModelError) -> KeyedArchiver.Reference
    {
        try value(.dictionary(info), place)
    }
}
