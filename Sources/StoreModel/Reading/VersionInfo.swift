import Foundation
import KeyedArchive

/// The `VersionInfo.plist` of a `.momd`: what the compiler lists of each version (Format, section 7).
public struct VersionInfo: Sendable, Hashable {
    /// The version that a program gets that asks for none.
    public var currentVersionName: String?
    /// The entity version hashes of each version.
    public var hashes: [String: [String: Data]] = [:]
    /// The checksum of each version, in base64; older compilers list none.
    public var checksums: [String: String] = [:]
    /// Names of further entries, which have no meaning here.
    public var otherKeys: [String] = []

    private static let currentVersionKey = "NSManagedObjectModel_CurrentVersionName"
    private static let hashesKey = "NSManagedObjectModel_VersionHashes"
    private static let checksumsKey = "NSManagedObjectModel_VersionChecksums"

    /// - Throws: ``ModelError/malformed(source:reason:)`` for an entry of another form.
    init(_ list: PropertyListNode, source: String) throws(ModelError) {
        func malformed(_ reason: String) -> ModelError { .malformed(source: source, reason: reason) }
        guard let entries = list.dictionary?.entries else { throw malformed("it is no dictionary") }
        for (key, value) in entries {
            switch key {
            case Self.currentVersionKey:
                guard let name = value.string else { throw malformed("\(key) is no text") }
                currentVersionName = name
            case Self.hashesKey:
                guard let versions = value.dictionary?.entries else { throw malformed("\(key) is no dictionary") }
                for (version, entities) in versions {
                    guard let entities = entities.dictionary?.entries else {
                        throw malformed("the hashes of version \(version) are no dictionary")
                    }
                    hashes[version] = [:]
                    for (entity, hash) in entities {
                        guard let hash = hash.data, hash.count == 32 else {
                            throw malformed("the hash of \(entity) in version \(version) is no data of 32 bytes")
                        }
                        hashes[version]?[entity] = hash
                    }
                }
            case Self.checksumsKey:
                guard let versions = value.dictionary?.entries else { throw malformed("\(key) is no dictionary") }
                for (version, checksum) in versions {
                    guard let checksum = checksum.string else {
                        throw malformed("the checksum of version \(version) is no text")
                    }
                    checksums[version] = checksum
                }
            default: otherKeys.append(key)
            }
        }
        otherKeys.sort()
    }
}
