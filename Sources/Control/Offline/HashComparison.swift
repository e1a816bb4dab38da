import Foundation
import StoreModel
import Varlink

/// Computed entity version hashes beside those that a store's metadata or a `VersionInfo.plist` has.
struct HashComparison {
    let computed: [String: Data]
    /// Nil where nothing else has any.
    var stored: [String: Data]?
    var storedChecksum: String?
    var storedDigest: String?

    var checksum: String { VersionHashes.modelChecksum(computed) }
    var digest: String { VersionHashes.hashesDigest(computed) }

    private var names: [String] {
        Set(computed.keys).union(VersionHashes.ofModel(stored ?? [:], entities: computed.keys).keys).sorted {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
    }

    /// Whether everything that is stored is what was computed.
    var agrees: Bool {
        (stored == nil || names.allSatisfy { computed[$0] == stored?[$0] }) && (storedChecksum ?? checksum) == checksum
            && (storedDigest ?? digest) == digest
    }

    var json: JSONObject {
        let entities = names.map { name -> (String, JSON) in
            (name, ["computed": text(computed[name]), "stored": text(stored?[name])])
        }
        var object: JSONObject = [
            "entities": .object(JSONObject(entities)), "checksum": .string(checksum), "digest": .string(digest),
            "agrees": .bool(agrees),
        ]
        object["storedChecksum"] = storedChecksum.map { .string($0) }
        object["storedDigest"] = storedDigest.map { .string($0) }
        return object
    }

    private func text(_ hash: Data?) -> JSON { hash.map { .string($0.base64EncodedString()) } ?? .null }

    /// `place`: where the stored ones are, such as `in the store`.
    func print(_ output: Output, place: String) {
        output.table(
            [["entity", "hash"] + (stored == nil ? [] : [place])]
                + names.map { name in
                    let own = computed[name]?.base64EncodedString() ?? "-"
                    guard let stored else { return [name, own] }
                    let same = stored[name] == computed[name]
                    return [name, own, same ? "the same" : stored[name]?.base64EncodedString() ?? "missing"]
                })
        func line(_ name: String, _ own: String, _ other: String?) {
            output.line("\(name) \(own)" + (other.map { $0 == own ? "" : ", but \($0) \(place)" } ?? ""))
        }
        line("checksum ", checksum, storedChecksum)
        line("digest   ", digest, storedDigest)
    }
}
