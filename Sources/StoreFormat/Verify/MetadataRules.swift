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
        let names = Set(VersionHashes.ofModel(stored, entities: computed.keys).keys)
        let difference = names.symmetricDifference(computed.keys).sorted().prefix(5)
        if !difference.isEmpty {
            try context.report(
                "metadata-entities", "Z_METADATA",
                "hashes for \(difference.joined(separator: ", ")) differ from the model")
        }
        let framework = metadata.frameworkVersion ?? 0
        if metadata.plist[StoreMetadata.Key.digest] == nil, framework >= 969 {
            try context.report("metadata-digest", "Z_METADATA", "NSStoreModelVersionHashesDigest is missing")
        }
        if metadata.plist[StoreMetadata.Key.checksum] == nil, framework >= 1321 {
            try context.report("metadata-checksum", "Z_METADATA", "NSStoreModelVersionChecksumKey is missing")
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
        try values(context)
        try cache(context, stored: stored)
        let rows = try context.connection.query("SELECT Z_VERSION FROM Z_METADATA")
        if rows.count != 1 { try context.report("metadata-rows", "Z_METADATA", "\(rows.count) rows, expected 1") }
        if let version = rows.first?.first, rows.count == 1, version != 1 {
            try context.report("metadata-version", "Z_METADATA", "Z_VERSION is not 1")
        }
    }

    /// The keys that every framework writes, and what their values must be.
    private static func values(_ context: VerifyContext) throws {
        typealias Key = StoreMetadata.Key
        let plist = context.store.metadata.plist
        func expect(_ rule: String, _ isSound: Bool, _ what: String) throws {
            if !isSound { try context.report(rule, "Z_METADATA", what) }
        }
        try expect(
            "metadata-version", plist[Key.hashesVersion]?.integer == 3, "NSStoreModelVersionHashesVersion is not 3")
        try expect(
            "metadata-version", context.store.metadata.frameworkVersion ?? 0 > 0,
            "NSPersistenceFrameworkVersion is no positive number")
        if let vacuum = plist[Key.autoVacuum] {
            let level = try context.connection.scalar("PRAGMA auto_vacuum")?.integerValue ?? 0
            try expect(
                "metadata-vacuum", vacuum.string == "\(level)", "_NSAutoVacuumLevel is not the file's level \(level)")
        }
        let hashes = plist[Key.hashes]?.dictionary?.entries ?? []
        for entry in hashes where entry.value.data?.count != 32 {
            try context.report("metadata-hash", entry.key, "its version hash is not of 32 bytes")
        }
        if let identifiers = plist[Key.identifiers] {
            try expect(
                "metadata-identifiers", identifiers.elements?.allSatisfy { $0.string != nil } ?? false,
                "NSStoreModelVersionIdentifiers is no list of texts")
        }
    }

    /// The model in the file (Format, section 7), where the store was not read by it.
    private static func cache(_ context: VerifyContext, stored: [String: Data]) throws {
        guard context.tables["Z_MODELCACHE"] != nil else {
            if context.store.metadata.frameworkVersion ?? 0 >= 637 {
                try context.report("model-cache", "Z_MODELCACHE", "the table is missing")
            }
            return
        }
        let count = try context.connection.scalar("SELECT count(*) FROM Z_MODELCACHE")?.integerValue ?? 0
        if count > 1 { try context.report("model-cache", "Z_MODELCACHE", "\(count) rows, expected 1") }
        if case .modelCache = context.store.modelOrigin { return }
        guard let cached = StoreModelSource.cached(context.connection, context.tables) else {
            return try context.report("model-cache", "Z_MODELCACHE", "the model in it cannot be read")
        }
        let names = try cached.versionHashes().filter { stored[$0.key] != $0.value }.keys.sorted()
        if !names.isEmpty {
            try context.report(
                "model-cache", "Z_MODELCACHE",
                "its model has other hashes than the metadata for \(names.prefix(5).joined(separator: ", "))")
        }
    }
}
