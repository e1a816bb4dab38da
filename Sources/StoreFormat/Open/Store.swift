import Foundation
import SQLite
import StoreModel

/// What is known of an opened store: its metadata, its model, and where everything is. A value without connections;
/// `connect(_:)` makes those.
public struct Store: Sendable {
    /// The file, links followed: what lies beside the store lies beside this.
    public let path: String
    /// The path that the store was opened by, which can be a link.
    let givenPath: String
    /// The `Z_METADATA` row.
    public let metadata: StoreMetadata
    /// The model that the store is read by.
    public let model: ModelDescription
    /// Where that model was found.
    public let modelOrigin: ModelOrigin
    /// The entities' numbers.
    public let catalogue: Catalogue
    /// Where each entity's objects are.
    public let layout: StoreLayout
    /// What the store's own triggers write.
    public let triggerWrites: TriggerWrites
    /// How the store keeps history.
    public let historyForm: HistoryForm
    /// Tables of history that are gone, though the store has a history.
    let lostHistory: [String]
    /// The files of large values.
    public let externalData: ExternalData
    /// Whether the file was in WAL mode when it was opened.
    public let isWAL: Bool
    /// The file that was opened, to tell it from one that takes its place.
    let identity: FileIdentity?

    /// The store's UUID.
    public var uuid: String { metadata.uuid }

    /// Where the model was found.
    public enum ModelOrigin: Sendable, Hashable, CustomStringConvertible {
        /// The store's own `Z_MODELCACHE`.
        case modelCache
        /// Given by the caller: a file, or the classes of a program.
        case given(String)

        /// What to call the origin in messages.
        public var description: String {
            switch self {
            case .modelCache: "the store's model cache"
            case .given(let source): source
            }
        }
    }

    /// Opens a store to learn all of this. Nothing is written.
    /// - Parameters:
    ///   - model: the model to read it by; nil takes the store's own model cache.
    ///   - source: what to call the given model in messages.
    ///   - requiringEqualHashes: refuse a given model whose version hashes differ from the store's.
    /// - Throws: `StoreError`, naming what is wrong; see `StoreProbe` and `StoreError.Code`.
    public static func open(
        _ path: String, model: ModelDescription? = nil, source: String = "the given model",
        requiringEqualHashes: Bool = true
    ) throws -> Store {
        try StoreProbe.check(path)
        let givenPath = path
        let path = RealPath.of(path)
        // Before it is opened: a file that takes its place meanwhile is then taken for a replacement, not for the store.
        let identity = FileIdentity(path)
        RawFile.read(path) { _ in StoreHealth.forget(identity) }
        return try StoreConnector.translating(path) {
            let connection = try StoreConnector.offlineReader(path)
            return try open(
                connection, path: path, givenPath: givenPath, identity: identity, model: model, source: source,
                requiringEqualHashes: requiringEqualHashes)
        }
    }

    /// Reads all of this through a connection, in one snapshot.
    static func open(
        _ connection: Connection, path: String, givenPath: String? = nil, identity: FileIdentity?,
        model: ModelDescription?, source: String, requiringEqualHashes: Bool
    ) throws -> Store {
        try connection.transaction(.deferred) {
            try read(
                connection, path: path, givenPath: givenPath ?? path, identity: identity, model: model,
                source: source, requiringEqualHashes: requiringEqualHashes)
        }
    }

    private static func read(
        _ connection: Connection, path: String, givenPath: String, identity: FileIdentity?, model: ModelDescription?,
        source: String, requiringEqualHashes: Bool
    ) throws -> Store {
        let tables = try TableColumns(connection)
        guard tables["Z_METADATA"] != nil, tables["Z_PRIMARYKEY"] != nil else {
            throw StoreError(
                .notAStore,
                "\(path) is an SQLite database, but no Core Data store: it lacks Z_METADATA or Z_PRIMARYKEY",
                way: "give the file that Core Data or SwiftData made")
        }
        let metadata = try StoreMetadata.read(connection)
        let (model, origin) = try StoreModelSource.model(
            given: model, source: source, connection, path: path, tables: tables)
        if requiringEqualHashes, case .given = origin {
            try SchemaAgreement.check(
                model, against: metadata, cached: StoreModelSource.cached(connection, tables), path)
        }
        try SchemaClashes.requireTables(model)
        let catalogue = try Catalogue.read(connection, model: model)
        return Store(
            path: path, givenPath: givenPath, metadata: metadata, model: model, modelOrigin: origin,
            catalogue: catalogue,
            layout: StoreLayout(model: model, catalogue: catalogue, tables: tables),
            triggerWrites: try TriggerWrites(connection),
            historyForm: HistoryForm(tables), lostHistory: HistoryTables.missing(tables),
            externalData: ExternalData(storePath: path),
            // Of a store that is read as immutable SQLite does not say so, but only a WAL store is read like that.
            isWAL: try connection.mode == .immutable || connection.scalar("PRAGMA journal_mode")?.textValue == "wal",
            identity: identity)
    }

    /// The same knowledge, read anew inside the connection's transaction: after the file's tables changed.
    func rereadInTransaction(_ connection: Connection) throws -> Store {
        let fresh = try Store.read(
            connection, path: path, givenPath: givenPath, identity: identity, model: model, source: "",
            requiringEqualHashes: false)
        return Store(
            path: path, givenPath: givenPath, metadata: fresh.metadata, model: model, modelOrigin: modelOrigin,
            catalogue: fresh.catalogue, layout: fresh.layout, triggerWrites: fresh.triggerWrites,
            historyForm: fresh.historyForm, lostHistory: fresh.lostHistory,
            externalData: externalData, isWAL: fresh.isWAL, identity: identity)
    }

    /// The same knowledge, read anew through a connection.
    public func reread(_ connection: Connection) throws -> Store {
        try connection.transaction(.deferred) { try rereadInTransaction(connection) }
    }
}
