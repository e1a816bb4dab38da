import Foundation
import KeyedArchive
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// What `create` makes, against real stores of the newest form that no migration has altered, to the last blank.
@Suite(Corpus.condition)
struct CorpusCreateTests {
    private static let newest = ["19_", "20_", "28_", "30_", "32_", "33_", "42_", "43_"]
    static let names = Corpus.names.filter { name in newest.contains { name.hasPrefix($0) } }

    /// A copy of a real store, and a new one made from its model.
    private static func pair(_ name: String, _ folder: TemporaryFolder) throws -> (real: Store, made: Store) {
        let real = try #require(try Corpus.open(name, in: folder))
        let made = try StoreCreator.create(
            folder.file("created.sqlite"), model: real.model, isTracked: real.historyForm.isTracked)
        return (real, made)
    }

    private static func query(_ store: Store, _ sql: String) throws -> [[SQLValue]] {
        try StoreConnector.offlineReader(store.path).query(sql)
    }

    @Test("statements are equal in every byte", arguments: names)
    func statements(_ name: String) throws {
        let folder = try TemporaryFolder()
        let (real, made) = try Self.pair(name, folder)
        let sql = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name"
        #expect(try Self.query(made, sql) == Self.query(real, sql))
    }

    @Test("entities have the same numbers, names and parents, and the file the same form", arguments: names)
    func catalogue(_ name: String) throws {
        let folder = try TemporaryFolder()
        let (real, made) = try Self.pair(name, folder)
        let sql = "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT"
        #expect(try Self.query(made, sql) == Self.query(real, sql))
        // A new store has handed out nothing, and has no history entities yet.
        #expect(try Self.query(made, "SELECT sum(Z_MAX), max(Z_ENT) < 16000 FROM Z_PRIMARYKEY") == [[0, 1]])
        for pragma in ["page_size", "auto_vacuum", "user_version", "application_id", "encoding"] {
            #expect(try Self.query(made, "PRAGMA \(pragma)") == Self.query(real, "PRAGMA \(pragma)"), "\(pragma)")
        }
    }

    @Test("metadata has the keys of the newest framework, in their types, and the same hashes", arguments: names)
    func metadata(_ name: String) throws {
        let folder = try TemporaryFolder()
        let (real, made) = try Self.pair(name, folder)
        let (theirs, ours) = (real.metadata.plist, made.metadata.plist)
        typealias Key = StoreMetadata.Key
        // Keys that came with a framework newer than the one that wrote the store.
        let newer = Set([Key.maximumFrameworkVersion, Key.checksum]).subtracting(theirs.keys)
        #expect(Set(ours.keys).subtracting(newer) == Set(theirs.keys))
        for key in theirs.keys { #expect(Self.kind(ours[key]) == Self.kind(theirs[key]), "\(key)") }
        #expect(made.metadata.versionHashes == real.metadata.versionHashes)
        #expect(made.metadata.digest == real.metadata.digest)
        #expect(made.metadata.versionIdentifiers == real.metadata.versionIdentifiers)
        if let checksum = real.metadata.checksum { #expect(made.metadata.checksum == checksum) }
    }

    private static func kind(_ node: PropertyListNode?) -> String {
        node.map { Mirror(reflecting: $0).children.first?.label ?? "" } ?? "missing"
    }

    @Test("the model in the new file is the one in the real file", arguments: names)
    func model(_ name: String) throws {
        let folder = try TemporaryFolder()
        let (real, made) = try Self.pair(name, folder)
        #expect(made.modelOrigin == .modelCache)
        #expect(made.model == real.model)
    }
}
