import Foundation
import KeyedArchive
import SQLite

/// A store's `Z_METADATA` row (Format, section 6). Keys that are the application's are kept as they are.
public struct StoreMetadata: Sendable, Hashable {
    /// The store's UUID, as it stands in `Z_UUID`.
    public var uuid: String
    /// `Z_PLIST`, whole.
    public var plist: PropertyListDictionary

    /// A row to write.
    public init(uuid: String, plist: PropertyListDictionary) {
        self.uuid = uuid
        self.plist = plist
    }

    /// The names of the keys that the format itself uses.
    public enum Key {
        /// Always `SQLite`.
        public static let storeType = "NSStoreType"
        /// The version hash of each entity.
        public static let hashes = "NSStoreModelVersionHashes"
        /// Always 3.
        public static let hashesVersion = "NSStoreModelVersionHashesVersion"
        /// The model's version identifiers.
        public static let identifiers = "NSStoreModelVersionIdentifiers"
        /// The framework that wrote the store last.
        public static let frameworkVersion = "NSPersistenceFrameworkVersion"
        /// The newest framework that ever did.
        public static let maximumFrameworkVersion = "NSPersistenceMaximumFrameworkVersion"
        /// The level of auto-vacuum, as text.
        public static let autoVacuum = "_NSAutoVacuumLevel"
        /// The digest of names and hashes.
        public static let digest = "NSStoreModelVersionHashesDigest"
        /// The model's checksum.
        public static let checksum = "NSStoreModelVersionChecksumKey"
    }

    /// The version hash of each entity, 32 bytes each.
    public var versionHashes: [String: Data] {
        guard let entries = plist[Key.hashes]?.dictionary?.entries else { return [:] }
        return Dictionary(
            entries.compactMap { entry in entry.value.data.map { (entry.key, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The digest of names and hashes; from framework 969 on.
    public var digest: String? { plist[Key.digest]?.string }
    /// The model's checksum; from framework 1321 on.
    public var checksum: String? { plist[Key.checksum]?.string }
    /// The framework that wrote the store last.
    public var frameworkVersion: Int? { plist[Key.frameworkVersion]?.integer.map(Int.init) }
    /// The model's version identifiers.
    public var versionIdentifiers: [String] { plist[Key.identifiers]?.elements?.compactMap(\.string) ?? [] }

    /// Reads a store's metadata alone, without its model.
    /// - Throws: `StoreError`.
    public static func read(path: String) throws -> StoreMetadata {
        try StoreProbe.check(path)
        return try StoreConnector.translating(path) {
            let connection = try StoreConnector.offlineReader(path)
            guard try connection.scalar("SELECT 1 FROM sqlite_master WHERE name = 'Z_METADATA'") != nil else {
                throw StoreError(
                    .notAStore, "\(path) is an SQLite database, but no Core Data store: it lacks Z_METADATA",
                    way: "give the file that Core Data or SwiftData made")
            }
            return try read(connection)
        }
    }

    /// Reads the row.
    /// - Throws: `StoreError` `NotAStore` or `MetadataUnreadable`.
    static func read(_ connection: Connection) throws -> StoreMetadata {
        // A view could have rows without end.
        guard try connection.scalar("SELECT type FROM sqlite_master WHERE name = 'Z_METADATA'")?.textValue == "table"
        else {
            throw StoreError(
                .notAStore, "\(connection.path) is an SQLite database, but no Core Data store: Z_METADATA is no table",
                way: "give the file that Core Data or SwiftData made")
        }
        let rows = try StructureLimit.reading(
            "the metadata", connection, code: .metadataUnreadable, way: StoreError.wayOfDamage(connection.path)
        ) { try connection.query("SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 1") }
        guard let row = rows.first else {
            throw StoreError(
                .notAStore, "\(connection.path) has an empty Z_METADATA table",
                way: StoreError.wayOfDamage(connection.path))
        }
        guard let uuid = row[0].textValue, !uuid.isEmpty else {
            throw StoreError(
                .metadataUnreadable, "\(connection.path) has no store UUID in Z_METADATA",
                way: StoreError.wayOfDamage(connection.path))
        }
        guard let bytes = row[1].blobValue, !bytes.isEmpty else {
            throw StoreError(
                .metadataUnreadable, "the metadata property list of \(connection.path) is NULL",
                way: StoreError.wayOfDamage(connection.path))
        }
        return try StoreMetadata(uuid: uuid, propertyList: Data(bytes), path: connection.path)
    }

    /// Reads the property list of the row in the store at `path`.
    /// - Throws: `StoreError` `MetadataUnreadable` or `TooOld`.
    package init(uuid: String, propertyList bytes: Data, path: String) throws {
        do {
            guard let plist = try PropertyList.parse(bytes).dictionary else {
                throw StoreError(
                    .metadataUnreadable, "the metadata of \(path) is no dictionary",
                    way: StoreError.wayOfDamage(path))
            }
            // Mac OS X 10.4 wrote versions 1 and 2, whose hashes are computed in a way that is not known.
            if let version = plist[Key.hashesVersion]?.integer, version < 3 {
                throw StoreError(
                    .tooOld,
                    "\(path) has entity version hashes of version \(version), from before Mac OS X 10.5",
                    way: "open and save it once with a newer framework")
            }
            self.init(uuid: uuid, plist: plist)
        } catch let error as PropertyListError {
            throw StoreError(
                .metadataUnreadable, "the metadata property list of \(path) cannot be read: \(error)",
                way: StoreError.wayOfDamage(path))
        }
    }

    /// Writes the row.
    func write(_ connection: Connection) throws {
        let data = try PropertyList.binary(.dictionary(plist))
        try connection.run(
            "INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)",
            [.text(uuid), .blob([UInt8](data))])
    }
}
