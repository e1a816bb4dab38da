import Foundation
import StoreModel

/// Whether a model's entity version hashes are the store's (Format, sections 6.2 and 9).
public enum SchemaAgreement {
    /// The entities whose hashes differ, are missing in the model, or missing in the store.
    public struct Mismatch: Sendable, Hashable {
        /// Entities whose hashes differ.
        public var different: [String] = []
        /// Entities that the model lacks.
        public var onlyInStore: [String] = []
        /// Entities that the store lacks.
        public var onlyInModel: [String] = []

        /// Whether model and store agree.
        public var isEmpty: Bool { different.isEmpty && onlyInStore.isEmpty && onlyInModel.isEmpty }
    }

    /// How many differences a message names.
    private static let maximumDetails = 20

    /// Compares the hashes that follow from a model with the stored ones.
    public static func compare(_ model: ModelDescription, with metadata: StoreMetadata) throws -> Mismatch {
        let computed = try model.versionHashes()
        let stored = VersionHashes.ofModel(metadata.versionHashes, entities: computed.keys)
        var mismatch = Mismatch()
        for name in Set(computed.keys).union(stored.keys).sorted() {
            switch (computed[name], stored[name]) {
            case (nil, _): mismatch.onlyInStore.append(name)
            case (_, nil): mismatch.onlyInModel.append(name)
            case (let a?, let b?): if a != b { mismatch.different.append(name) }
            }
        }
        return mismatch
    }

    /// - Throws: `StoreError` `SchemaMismatch`, with the properties that differ where the store's own model is known.
    static func check(
        _ model: ModelDescription, against metadata: StoreMetadata, cached: ModelDescription?, _ path: String
    ) throws {
        let mismatch = try compare(model, with: metadata)
        guard !mismatch.isEmpty else { return }
        var parts: [String] = []
        if !mismatch.different.isEmpty { parts.append("different: \(mismatch.different.joined(separator: ", "))") }
        if !mismatch.onlyInStore.isEmpty {
            parts.append("only in the store: \(mismatch.onlyInStore.joined(separator: ", "))")
        }
        if !mismatch.onlyInModel.isEmpty {
            parts.append("only in the model: \(mismatch.onlyInModel.joined(separator: ", "))")
        }
        if let cached {
            let details = ModelDifference.changingHashes(cached, model).map { "\($0)" }
            let more = details.count > maximumDetails ? "; and \(details.count - maximumDetails) more" : ""
            if !details.isEmpty {
                parts.append("in detail: " + details.prefix(maximumDetails).joined(separator: "; ") + more)
            }
        }
        // The same label on two shapes misleads whoever looks for the version by its label.
        let labels = Set(model.versionIdentifiers).intersection(metadata.versionIdentifiers).filter { !$0.isEmpty }
        if !labels.isEmpty {
            let stored = VersionHashes.modelChecksum(
                VersionHashes.ofModel(metadata.versionHashes, entities: model.entities.map(\.name)))
            parts.append(
                "both call themselves version \(labels.sorted().joined(separator: ", ")), but the store's checksum is "
                    + "\(stored) and the model's \(try model.versionChecksum())")
        }
        throw StoreError(
            .schemaMismatch, "the model is not the one that \(path) was made with: " + parts.joined(separator: "; "),
            way:
                "give the store's own version of the model, or migrate the store: `coexistctl migrate STORE --to MODEL`"
        )
    }
}
