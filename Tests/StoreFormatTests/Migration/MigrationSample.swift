import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// A store of a model written for a test, filled by SQL, that nobody has open.
struct MigrationSample {
    let folder: TemporaryFolder
    let path: String

    init(_ model: ModelDescription, isTracked: Bool = true, sql: String = "") throws {
        folder = try TemporaryFolder()
        path = folder.file("Sample.sqlite")
        try StoreCreator.create(path, model: model, isTracked: isTracked)
        try execute(sql)
    }

    /// Runs SQL on a connection of its own.
    func execute(_ sql: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        try DerivedFunctions.register(on: connection)
        try connection.execute(sql)
    }

    /// Writes through the format, with history.
    func write(_ body: (StoreWriter) throws -> Void) throws {
        try body(try StoreWriter(store: try Store.open(path)))
    }

    @discardableResult
    func migrate(
        to model: ModelDescription, allowsDataLoss: Bool = false, hooks: MigrationHooks = MigrationHooks()
    ) throws -> MigrationReport {
        try StoreMigrator(path, to: model).migrate(allowsDataLoss: allowsDataLoss, hooks: hooks)
    }

    /// The refusals of a migration, in two words each. The store must be as it was.
    func refusals(to model: ModelDescription, allowsDataLoss: Bool = false) throws -> [MappingRefusal] {
        let before = try FolderContents(folder.path).files
        let planned = try StoreMigrator(path, to: model).plan(allowsDataLoss: allowsDataLoss).refusals
        let error = #expect(throws: MigrationRefused.self) { try migrate(to: model, allowsDataLoss: allowsDataLoss) }
        #expect(error?.plan.refusals == planned, "a plan says what a migration would")
        #expect(try FolderContents(folder.path).files == before)
        return planned
    }

    /// The rows of a query, a text each, values parted by bars as the sqlite3 shell prints them.
    func rows(_ sql: String) throws -> [String] {
        let connection = try Connection(path: path, mode: .readWrite)
        return try connection.query(sql).map { row in
            row.map { value in
                switch value {
                case .null: ""
                case .integer(let value): "\(value)"
                case .real(let value): "\(value)"
                case .text(let value): value
                case .blob(let bytes): bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
                }
            }.joined(separator: "|")
        }
    }

    /// Expects the model, and a store that breaks no rule, by our own check and by the independent one.
    func expectSound(_ model: ModelDescription, _ location: SourceLocation = #_sourceLocation) throws {
        let store = try Store.open(path)
        #expect(try store.metadata.versionHashes == model.versionHashes(), sourceLocation: location)
        #expect(
            try store.metadata.digest == VersionHashes.hashesDigest(model.versionHashes()), sourceLocation: location)
        #expect(try store.metadata.checksum == model.versionChecksum(), sourceLocation: location)
        #expect(try store.model.versionHashes() == model.versionHashes(), sourceLocation: location)
        let found = try StoreVerifier.verify(try StoreConnector.offlineReader(path), store: store)
            .filter { $0.severity != .warning }
        #expect(found == [], sourceLocation: location)
        try Oracle.expectSound(path, location)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains("migration") }
                .allSatisfy { $0.contains("before-migration") }, sourceLocation: location)
    }
}
