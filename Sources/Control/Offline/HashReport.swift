import Foundation
import StoreFormat
import StoreModel
import Varlink

/// A model's entity version hashes, and a store's beside them.
struct HashReport {
    private let computed: [String: Data]
    private let stored: [String: Data]?
    private let storedChecksum: String?
    private let storedDigest: String?

    /// - Parameters:
    ///   - path: a model or a store.
    ///   - model: the model to compute a store's hashes from; nil takes the store's own.
    init(_ path: String, model: String?) throws {
        let kinds = ["xcdatamodeld", "xcdatamodel", "mom", "momd"]
        if kinds.contains(URL(fileURLWithPath: path).pathExtension.lowercased()) {
            computed = try StoreModels.model(path).model.versionHashes()
            stored = nil
            storedChecksum = nil
            storedDigest = nil
            return
        }
        do {
            let store: Store
            if let model {
                let loaded = try StoreModels.load(model, for: path)
                store = try Store.open(
                    path, model: loaded.model, source: loaded.sourceDescription, requiringEqualHashes: false)
            } else {
                store = try Store.open(path)
            }
            computed = try store.model.versionHashes()
            stored = store.metadata.versionHashes
            storedChecksum = store.metadata.checksum
            storedDigest = store.metadata.digest
        } catch {
            throw CommandFailure(error, opening: true)
        }
    }

    private var checksum: String { VersionHashes.modelChecksum(computed) }
    private var digest: String { VersionHashes.hashesDigest(computed) }

    private var names: [String] {
        let history = ["CHANGE", "TRANSACTION", "TRANSACTIONSTRING"]
        let own = (stored ?? [:]).keys.filter { !history.contains($0) }
        return Set(computed.keys).union(own).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Whether a store's hashes and digests are those of its model; true for a model alone.
    var agrees: Bool {
        guard let stored else { return true }
        return names.allSatisfy { computed[$0] == stored[$0] } && (storedChecksum ?? checksum) == checksum
            && (storedDigest ?? digest) == digest
    }

    var json: JSON {
        let entities = names.map { name -> (String, JSON) in
            (name, ["computed": text(computed[name]), "stored": text(stored?[name])])
        }
        return [
            "entities": .object(JSONObject(entities)), "checksum": .string(checksum), "digest": .string(digest),
            "agrees": .bool(agrees),
        ]
    }

    private func text(_ hash: Data?) -> JSON { hash.map { .string($0.base64EncodedString()) } ?? .null }

    func print(_ output: Output) {
        let head = stored == nil ? ["entity", "hash"] : ["entity", "hash", "in the store"]
        output.table(
            [head]
                + names.map { name in
                    let own = computed[name]?.base64EncodedString() ?? "-"
                    guard let stored else { return [name, own] }
                    let same = stored[name] == computed[name]
                    return [name, own, same ? "the same" : stored[name]?.base64EncodedString() ?? "missing"]
                })
        output.line("checksum  \(checksum)")
        output.line("digest    \(digest)")
        if stored != nil { output.line(agrees ? "the store agrees" : "the store does not agree") }
    }
}
