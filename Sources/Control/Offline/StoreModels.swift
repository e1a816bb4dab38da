import Foundation
import StoreFormat
import StoreModel

/// Loads the model that a command or a configuration names.
enum StoreModels {
    /// The model at a path: of several versions the one whose hashes are the store's, where there is one. A store as the
    /// model gives its own.
    /// - Throws: `ModelError` or `StoreError`.
    static func load(_ path: String, for store: String?) throws -> LoadedModel {
        if let store, let hashes = try? StoreMetadata.read(path: store).versionHashes,
            let match = try ModelReader.read(at: path, matching: hashes)
        {
            return match
        }
        return try ModelReader.read(at: path)
    }

    /// The model of a MODEL argument, which may be a store too, with what to call it.
    static func model(_ path: String) throws -> (model: ModelDescription, source: String, store: Store?) {
        let kinds = ["xcdatamodeld", "xcdatamodel", "mom", "momd"]
        if kinds.contains(URL(fileURLWithPath: path).pathExtension.lowercased()) {
            let loaded = try ModelReader.read(at: path)
            return (loaded.model, loaded.sourceDescription, nil)
        }
        let store = try Store.open(path)
        return (store.model, "\(store.modelOrigin)", store)
    }
}
