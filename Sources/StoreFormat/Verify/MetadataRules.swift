import Foundation
import SQLite
import StoreModel

/// `Z_METADATA` against the model (Format, sections 6 and 9).
enum MetadataRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        let metadata = context.store.metadata
        let stored = metadata.versionHashes
        let computed = try context.model.versionHashes()
        for (name, hash) in computed.sorted(by: { $0.key < $1.key }) where stored[name].map({ $0 != hash }) ?? false {
            try context.report(
                "metadata-hash", name, "the stored version hash is not the one that follows from the model")
        }
        let names = Set(stored.keys).subtracting(["CHANGE", "TRANSACTION", "TRANSACTIONSTRING"])
        let difference = names.symmetricDifference(context.model.entities.map(\.name)).sorted().prefix(5)
        if !difference.isEmpty {
            try context.report(
                "metadata-entities", "Z_METADATA",
                "hashes for \(difference.joined(separator: ", ")) differ from the model")
        }
        if let digest = metadata.digest, digest != VersionHashes.hashesDigest(stored) {
            try context.report(
                "metadata-digest", "Z_METADATA", "NSStoreModelVersionHashesDigest does not follow from the hashes")
        }
        if let checksum = metadata.checksum, checksum != VersionHashes.modelChecksum(stored) {
            try context.report(
                "metadata-checksum", "Z_METADATA", "NSStoreModelVersionChecksumKey does not follow from the hashes")
        }
        if UUID(uuidString: metadata.uuid)?.uuidString != metadata.uuid {
            try context.report("metadata-uuid", "Z_METADATA", "\(metadata.uuid) is no UUID in capitals")
        }
        let type = metadata.plist[StoreMetadata.Key.storeType]?.string
        if type != "SQLite" {
            try context.report("metadata-type", "Z_METADATA", "NSStoreType is \(type ?? "missing"), expected SQLite")
        }
        let rows = try context.connection.scalar("SELECT count(*) FROM Z_METADATA")?.integerValue ?? 0
        if rows != 1 { try context.report("metadata-rows", "Z_METADATA", "\(rows) rows, expected 1") }
    }
}
