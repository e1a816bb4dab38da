import StoreFormat
import StoreModel

/// In a store's metadata: the version hash of each entity, `[String: Data]`.
public let NSStoreModelVersionHashesKey = StoreMetadata.Key.hashes
/// In a store's metadata: the model's version identifiers.
public let NSStoreModelVersionIdentifiersKey = StoreMetadata.Key.identifiers
/// In a store's metadata: `SQLite`.
public let NSStoreTypeKey = StoreMetadata.Key.storeType

extension NSManagedObjectModel {
    /// The models of several, as one. Nil for an empty list, and where two of them have different entities of one name.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        guard let models, !models.isEmpty,
            let merged = try? ModelDescription.merged(models.map(\.modelDescription))
        else { return nil }
        self.init(merged)
    }

    /// The entities of several models that a store was made with, by their version hashes. Nil where an entity of the store
    /// is in none of them.
    /// - Parameter metadata: the store's, with `NSStoreModelVersionHashesKey`.
    public convenience init?(byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]) {
        guard let hashes = Self.hashes(metadata, of: models.map(\.modelDescription)) else { return nil }
        let parts = models.map { model -> ModelDescription in
            var part = model.modelDescription
            let own = model.entityVersionHashesByName
            part.entities.removeAll { hashes[$0.name] == nil || own[$0.name] != hashes[$0.name] }
            return part
        }
        var merged = ModelDescription()
        for part in parts {
            for entity in part.entities where merged[entity.name] == nil { merged.entities.append(entity) }
            merged.versionIdentifiers += part.versionIdentifiers
        }
        guard Set(merged.entities.map(\.name)) == Set(hashes.keys), (try? merged.versionHashes()) == hashes else {
            return nil
        }
        merged.versionIdentifiers = Set(merged.versionIdentifiers).sorted()
        self.init(merged)
    }

    /// The models in the resources of bundles, as one: `.momd` and `.mom`, and the sources `.xcdatamodeld` and
    /// `.xcdatamodel`, which are not compiled here. Nil where there are none, or one cannot be read or merged.
    /// - Parameter bundles: nil for the main bundle.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        models(in: bundles).flatMap { NSManagedObjectModel(byMerging: $0) }
    }

    /// The same, of the entities that a store was made with.
    public class func mergedModel(from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any])
        -> NSManagedObjectModel?
    {
        let all = files(in: bundles).flatMap { file -> [NSManagedObjectModel] in
            // Any version of a folder may be the store's.
            let versions = (try? ModelReader.versions(at: file)) ?? []
            guard !versions.isEmpty else {
                return [NSManagedObjectModel(contentsOf: URL(fileURLWithPath: file))].compactMap { $0 }
            }
            return versions.compactMap { version in (try? version.load()).map { NSManagedObjectModel($0) } }
        }
        return NSManagedObjectModel(byMerging: all, forStoreMetadata: metadata)
    }

    private class func models(in bundles: [Bundle]?) -> [NSManagedObjectModel]? {
        let files = files(in: bundles)
        let models = files.compactMap { NSManagedObjectModel(contentsOf: URL(fileURLWithPath: $0)) }
        return models.count == files.count ? models : nil
    }

    private class func files(in bundles: [Bundle]?) -> [String] {
        (bundles ?? [.main]).flatMap { bundle -> [String] in
            let folder = bundle.resourceURL?.path ?? bundle.bundlePath
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.sorted().filter { name in
                !name.hasPrefix(".")
                    && ModelKind(rawValue: URL(fileURLWithPath: name).pathExtension.lowercased()) != nil
            }.map { "\(folder)/\($0)" }
        }
    }

    private class func hashes(_ metadata: [String: Any], of models: [ModelDescription]) -> [String: Data]? {
        let names = models.flatMap { $0.entities.map(\.name) }
        return (metadata[NSStoreModelVersionHashesKey] as? [String: Data]).map {
            VersionHashes.ofModel($0, entities: names)
        }
    }

    // MARK: Versions and configurations

    /// The version hash of each entity; empty for a model that has none, such as one whose entities inherit from each
    /// other in a circle (``versionHashes()`` says why).
    public var entityVersionHashesByName: [String: Data] { (try? versionHashes()) ?? [:] }

    /// The checksum of the version hashes, in base64: the same as in a compiled model's list and in a store's metadata.
    /// Empty for a model that has no hashes.
    public var versionChecksum: String { (try? modelDescription.versionChecksum()) ?? "" }

    /// Whether a store was made with these entities.
    /// - Parameters:
    ///   - configuration: the configuration that the store was opened for; nil for all entities.
    ///   - metadata: the store's, with `NSStoreModelVersionHashesKey`.
    public func isConfiguration(
        withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool {
        let model = modelDescription
        guard let stored = Self.hashes(metadata, of: [model]) else { return false }
        let part = configuration.map { try? model.restricted(toConfiguration: $0) } ?? model
        return part.flatMap { try? $0.versionHashes() } == stored
    }

    /// The names of the configurations.
    public var configurations: [String] { base.configurations.keys.sorted() }

    /// The entities of a configuration; nil where there is none of that name.
    public func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration else { return entities }
        let byName = entitiesByName
        return base.configurations[configuration].map { $0.compactMap { byName[$0] } }
    }

    /// Makes a configuration of entities, in place of one of that name. They have to be the model's when a store is opened
    /// for it.
    public func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
        checkMutable()
        base.configurations[configuration] = entities.compactMap(\.name).sorted()
    }
}
