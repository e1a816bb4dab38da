import Foundation

/// Version hashes: 32 bytes an entity that change with everything that its stored form depends on (Format, section 9).
public enum VersionHashes {
    /// The entities of the history tables. Old stores list them beside the model's, but they are in no model.
    private static let historyEntities: Set<String> = ["CHANGE", "TRANSACTION", "TRANSACTIONSTRING"]

    /// A store's hashes without those of the history tables.
    /// - Parameter entities: the model's, where they are known: one of them may have the name of a history table.
    public static func ofModel(
        _ stored: [String: Data], entities: some Sequence<String> = EmptyCollection()
    ) -> [String: Data] {
        let others = historyEntities.subtracting(entities)
        return stored.filter { !others.contains($0.key) }
    }

    /// `NSStoreModelVersionChecksumKey` and a model's `versionChecksum`: base64 of the SHA-256 of all hashes, by entity
    /// name (Format, section 6.2).
    public static func modelChecksum(_ hashes: [String: Data]) -> String {
        var digest = SHA256()
        for (_, hash) in sorted(hashes) { digest.update(hash) }
        return Data(digest.finalize()).base64EncodedString()
    }

    /// `NSStoreModelVersionHashesDigest`: base64 of the SHA-512 of all names and hashes, by entity name (Format,
    /// section 6.2).
    public static func hashesDigest(_ hashes: [String: Data]) -> String {
        var digest = SHA512()
        for (name, hash) in sorted(hashes) {
            digest.update(name.utf8)
            digest.update(hash)
        }
        return Data(digest.finalize()).base64EncodedString()
    }

    private static func sorted(_ hashes: [String: Data]) -> [(key: String, value: Data)] {
        hashes.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}

extension ModelDescription {
    /// The version hash of every entity, as `NSStoreModelVersionHashes` holds them (Format, section 9).
    /// - Throws: ``ModelError/inheritanceCycle(entity:)`` or ``ModelError/missing(what:place:)``.
    public func versionHashes() throws(ModelError) -> [String: Data] {
        var known: [String: [UInt8]] = [:]
        for entity in entities { _ = try EntityHasher.hash(of: entity.name, in: self, &known) }
        return known.mapValues { Data($0) }
    }

    /// The model's `versionChecksum`: base64 (Format, section 6.2).
    /// - Throws: what ``versionHashes()`` throws.
    public func versionChecksum() throws(ModelError) -> String {
        VersionHashes.modelChecksum(try versionHashes())
    }
}
