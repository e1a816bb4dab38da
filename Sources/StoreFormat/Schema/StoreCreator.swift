import Foundation
import KeyedArchive
import SQLite
import StoreModel

/// Makes a new, empty store as the newest of Apple's frameworks would.
public enum StoreCreator {
    /// `NSPersistenceFrameworkVersion` of the newest framework that was measured (Format, section 6.3).
    public static let frameworkVersion: Int64 = 1522

    /// Makes the store.
    /// - Parameters:
    ///   - isTracked: whether the history tables are made with it.
    /// - Throws: `StoreError` `AlreadyExists` if something lies at the path, `ModelUnreadable` for a model that no tables
    ///   can be made for, `UnsupportedDerivation` for a derived attribute that no known trigger keeps; nothing is left
    ///   behind by a failure.
    @discardableResult
    public static func create(_ path: String, model: ModelDescription, isTracked: Bool = true) throws -> Store {
        try create(path, model: model, isTracked: isTracked, isPrivate: false)
    }

    /// - Parameter isPrivate: whether only its owner may open it, until somebody widens that.
    @discardableResult
    static func create(_ path: String, model: ModelDescription, isTracked: Bool = true, isPrivate: Bool) throws -> Store
    {
        let draft = try StoreDraft(of: path)
        defer { draft.discard() }
        try SchemaRequirements.require(model)
        try DerivedTriggers.requireKnownForms(model)
        try StoreConnector.translating(path) { try write(draft.path, model, isTracked, isPrivate) }
        // What another process has made there meanwhile stays.
        try draft.finish()
        return try Store.open(path)
    }

    private static func write(
        _ path: String, _ model: ModelDescription, _ isTracked: Bool, _ isPrivate: Bool
    ) throws {
        let connection = try Connection(path: path, mode: isPrivate ? .createPrivate : .readWriteCreate)
        try connection.execute("PRAGMA page_size=4096; PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL")
        let plan = SchemaPlan(model)
        try connection.transaction(.immediate) {
            for sql in plan.statements { try connection.executeOne(sql) }
            for row in plan.catalogueRows {
                try connection.run(
                    "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)",
                    [.integer(row.number), .text(row.name), .integer(row.parent)])
            }
            if isTracked {
                try HistoryTables.create(connection, tombstones: tombstones(model))
            }
            try metadata(model).write(connection)
            try connection.run(
                "INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)", [.blob([UInt8](try ModelCache.encode(model)))])
        }
        _ = try connection.checkpoint(.truncate)
    }

    static func tombstones(_ model: ModelDescription) -> Int {
        model.entities.map { entity in
            model.attributes(of: entity.name).count { $0.preservesValueInHistoryOnDeletion && !$0.isTransient }
        }.max() ?? 0
    }

    private static func metadata(_ model: ModelDescription) throws -> StoreMetadata {
        StoreMetadata(uuid: UUID().uuidString, plist: PropertyListDictionary(try modelEntries(model)))
    }

    /// What the metadata says of the model and of the framework (Format, section 6).
    static func modelEntries(_ model: ModelDescription) throws -> [(String, PropertyListNode)] {
        let hashes = try model.versionHashes()
        let entries = hashes.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        typealias Key = StoreMetadata.Key
        return [
            (Key.storeType, .string("SQLite")),
            (Key.hashes, .dictionary(PropertyListDictionary(entries.map { ($0.key, .data($0.value)) }))),
            (Key.hashesVersion, .integer(3)),
            (Key.identifiers, .array(model.versionIdentifiers.map { .string($0) })),
            (Key.frameworkVersion, .integer(frameworkVersion)),
            (Key.maximumFrameworkVersion, .integer(frameworkVersion)),
            (Key.autoVacuum, .string("2")),
            (Key.digest, .string(VersionHashes.hashesDigest(hashes))),
            (Key.checksum, .string(VersionHashes.modelChecksum(hashes))),
        ]
    }
}
