import Foundation
import KeyedArchive
import StoreFormat
import StoreModel
import TestKit

extension FuzzTarget {
    static let models: [FuzzTarget] = [
        FuzzTarget("model-source", "the XML of an .xcdatamodel", errors: [ModelError.self]) {
            try examine(ModelReader.readSource($0, name: "contents"))
        },
        FuzzTarget("model-archive", "a .mom", errors: [ModelError.self]) {
            try examine(ModelCache.decode(archive: $0, source: "model.mom"))
        },
        FuzzTarget("model-cache", "a store's compressed model", errors: [ModelError.self]) {
            try examine(ModelCache.decode($0))
        },
        FuzzTarget("version-info", "the VersionInfo.plist of a .momd", errors: [ModelError.self]) {
            _ = try ModelReader.versionInfo($0, path: "VersionInfo.plist")
        },
        FuzzTarget("model-store", "a store made of a model", errors: [ModelError.self, StoreError.self]) {
            let model = try ModelReader.readSource($0, name: "contents")
            let path = Workshop.path("made.sqlite")
            StoreBackup.remove(path)
            try StoreCreator.create(path, model: model)
            try Workshop.readThroughBothStacks(path)
        },
    ]

    /// What else is done with a model: none of it may fail otherwise than with an error of its type.
    private static func examine(_ model: ModelDescription) throws {
        _ = try model.versionHashes()
        _ = ModelDifference.between(SampleModels.library, model)
        _ = ModelDifference.between(model, SampleModels.library)
        let cache = try ModelCache.encode(model)
        let again: ModelDescription
        do {
            again = try ModelCache.decode(cache)
        } catch {
            throw Failure("what was written as a model cache cannot be read back: \(error)")
        }
        try promise(
            try again.versionHashes() == model.versionHashes(), "the model's hashes changed on the way through a cache")
    }
}
