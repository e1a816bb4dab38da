import Foundation
import StoreModel
import Varlink

/// All that a model says, for scripts and for people; the same for a model file and a store's own model.
struct ModelReport {
    let model: ModelDescription
    let hashes: [String: Data]

    /// - Throws: `ModelError` where the model's hashes cannot be computed.
    init(_ model: ModelDescription) throws {
        self.model = model
        hashes = try model.versionHashes()
    }

    var checksum: String { VersionHashes.modelChecksum(hashes) }

    /// What belongs to the model as a whole. `origin`: where it was found.
    func facts(origin: String) -> JSONObject {
        var object: JSONObject = [
            "origin": .string(origin), "checksum": .string(checksum),
            "digest": .string(VersionHashes.hashesDigest(hashes)),
            "versionIdentifiers": DescriptionJSON.texts(model.versionIdentifiers),
        ]
        object["swiftSchema"] = DescriptionJSON.set(model.isSwiftSchema)
        object["document"] = .object(
            JSONObject(model.documentAttributes.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
        object["configurations"] = .object(
            JSONObject(
                model.configurations.sorted { $0.key < $1.key }.map { ($0.key, DescriptionJSON.texts($0.value)) }))
        object["fetchRequestTemplates"] = .array(model.fetchRequestTemplates.map(DescriptionJSON.fetchRequest))
        object["composites"] = .array(
            model.composites.map { composite in
                [
                    "name": .string(composite.name),
                    "elements": .array(composite.elements.map { DescriptionJSON.attribute($0) }),
                ]
            })
        object["other"] = .array(model.unreadParts.map(DescriptionJSON.unread))
        return object
    }

    /// An entity with its hash.
    func entity(_ entity: EntityDescription) -> JSONObject {
        var object = DescriptionJSON.entity(entity, in: model)
        object["hash"] = ["computed": DescriptionJSON.text(hashes[entity.name]?.base64EncodedString()) ?? .null]
        return object
    }

    /// Every entity, in the order of their numbers.
    var entities: JSON { .array(model.numberedEntities.map { .object(entity($0)) }) }

    var warnings: JSON { .array(model.warnings().map(DescriptionJSON.warning)) }

    /// The model as text: its facts, each entity with what it declares, and the warnings.
    func print(_ output: Output) {
        if !model.versionIdentifiers.filter({ !$0.isEmpty }).isEmpty {
            output.line("identifiers  \(model.versionIdentifiers.joined(separator: ", "))")
        }
        for (name, value) in model.documentAttributes.sorted(by: { $0.key < $1.key }) {
            output.line("document     \(name) \(value)")
        }
        for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
            output.line("configuration \(name): \(members.joined(separator: ", "))")
        }
        for composite in model.composites {
            output.line("composite \(composite.name)")
            for element in composite.elements {
                output.line("  \(DescriptionText.item(DescriptionJSON.attribute(element)))")
            }
        }
        for request in model.fetchRequestTemplates {
            output.line("fetch request \(DescriptionText.item(DescriptionJSON.fetchRequest(request)))")
        }
        for entity in model.numberedEntities {
            output.line()
            DescriptionText.print(self.entity(entity), output)
        }
        if !model.unreadParts.isEmpty {
            output.line()
            output.line("without a meaning here:")
            for part in model.unreadParts {
                let place = [part.place, part.line.map { "line \($0)" } ?? ""].filter { !$0.isEmpty }
                output.line(
                    "  \(part.name) = \(part.value) (\(place.isEmpty ? "model" : place.joined(separator: ", ")))")
            }
        }
        let warnings = model.warnings()
        if !warnings.isEmpty {
            output.line()
            for warning in warnings { output.line("warning: \(warning)") }
        }
    }
}
