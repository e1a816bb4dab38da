import Foundation
import StoreFormat
import StoreModel

/// Loads the model that a command or a configuration names.
enum StoreModels {
    /// Whether a path names a model, and not a store that holds one.
    static func isModel(_ path: String) -> Bool {
        ModelKind(rawValue: URL(fileURLWithPath: path).pathExtension.lowercased()) != nil
    }

    /// The `.xcdatamodel` of a path that goes on to the file `contents` in it; every other path as it is.
    private static func modelFolder(_ path: String) -> String {
        let url = URL(fileURLWithPath: path)
        let folder = url.deletingLastPathComponent()
        return url.lastPathComponent == "contents" && folder.pathExtension.lowercased() == ModelKind.source.rawValue
            ? folder.path : path
    }

    /// The model at a path with what to call it: of several versions the one whose hashes are the store's, where there is
    /// one. A store as the model gives its own.
    /// - Throws: `ModelError` or `StoreError`.
    static func load(_ path: String, for store: String?) throws -> (model: ModelDescription, sourceDescription: String)
    {
        let path = modelFolder(path)
        guard isModel(path) else {
            let file = URL(fileURLWithPath: path).lastPathComponent
            return (try Store.open(path).model, "the model of \(file)")
        }
        if let store, let hashes = try? StoreMetadata.read(path: store).versionHashes,
            let match = try ModelReader.read(at: path, matching: hashes)
        {
            return (match.model, match.sourceDescription)
        }
        let loaded = try ModelReader.read(at: path)
        return (loaded.model, loaded.sourceDescription)
    }

    /// The model of a MODEL argument, which may be a store too.
    static func model(_ path: String) throws -> ModelDescription { try load(path, for: nil).model }
}
