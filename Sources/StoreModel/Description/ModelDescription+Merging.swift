import Foundation

extension ModelDescription {
    /// One model of several. An entity that several of them have counts once, if its version hash is the same in all.
    /// - Throws: ``ModelError/malformed(source:reason:)`` where two of them have different entities of one name; what
    ///   ``versionHashes()`` throws.
    public static func merged(_ models: [ModelDescription]) throws(ModelError) -> ModelDescription {
        var result = ModelDescription()
        var entities: [EntityDescription] = []
        var hashes: [String: Data] = [:]
        var configurations: [String: Set<String>] = [:]
        for model in models {
            let own = try model.versionHashes()
            for entity in model.entities {
                guard let known = hashes[entity.name] else {
                    hashes[entity.name] = own[entity.name]
                    entities.append(entity)
                    continue
                }
                guard known == own[entity.name] else {
                    throw .malformed(
                        source: "the merged model",
                        reason: "two of its models have an entity \(entity.name), and they differ")
                }
            }
            for (name, members) in model.configurations { configurations[name, default: []].formUnion(members) }
            let templates = Set(result.fetchRequestTemplates.map(\.name))
            result.fetchRequestTemplates += model.fetchRequestTemplates.filter { !templates.contains($0.name) }
            result.unreadParts += model.unreadParts
        }
        result.entities = entities
        result.configurations = configurations.mapValues { $0.sorted() }
        result.versionIdentifiers = Set(models.flatMap(\.versionIdentifiers)).sorted()
        return result
    }

    /// The part of the model that a store has that is opened for a configuration: its entities, and those that they inherit
    /// from.
    /// - Throws: ``ModelError/missing(what:place:)`` where there is no such configuration, or it has an entity that is not
    ///   there; ``ModelError/unsupported(what:place:)`` for a relationship that leads out of it.
    public func restricted(toConfiguration name: String) throws(ModelError) -> ModelDescription {
        guard let members = configurations[name] else {
            throw .missing(what: "configuration \(name)", place: "the model")
        }
        var names: Set<String> = []
        for member in members {
            guard self[member] != nil else { throw .missing(what: "entity \(member)", place: "configuration \(name)") }
            names.formUnion(inheritanceChain(of: member).map(\.name))
        }
        var result = self
        result.entities = entities.filter { names.contains($0.name) }
        result.configurations = configurations.filter { $0.key == name }
        result.fetchRequestTemplates = fetchRequestTemplates.filter { names.contains($0.entityName) }
        if let broken = result.brokenReference {
            throw .unsupported(
                what: "a relationship to \(broken.what), which is not in configuration \(name),",
                place: "\(broken.entity).\(broken.relationship)")
        }
        return result
    }
}
