import Foundation
import StoreFormat
import StoreModel
import Synchronization

/// One store file, opened.
public final class NSPersistentStore: Sendable {
    let instance: LegacyInstance

    init(_ instance: LegacyInstance) {
        self.instance = instance
    }

    /// The file.
    public var url: URL? { URL(fileURLWithPath: instance.store.path) }
    /// The store's UUID.
    public var identifier: String { instance.store.uuid }
    /// Whether nothing can be saved.
    public var isReadOnly: Bool { instance.readOnlyReason != nil }
    /// `SQLite`.
    public var type: String { NSSQLiteStoreType }
}

/// Opens a store for a model.
public final class NSPersistentStoreCoordinator: Sendable {
    /// The model that stores are opened with.
    public let managedObjectModel: NSManagedObjectModel
    private let opened = Mutex<Opened?>(nil)

    private struct Opened {
        var instance: LegacyInstance
        /// Nil for a store that is opened for reading only: what is read is then the file as it is.
        var follower: InstanceFollower?
    }

    /// Makes a coordinator for a model.
    public init(managedObjectModel: NSManagedObjectModel) {
        self.managedObjectModel = managedObjectModel
    }

    /// The opened store; nil before one is added.
    public var instance: LegacyInstance? { opened.withLock { $0?.instance } }

    /// The stores: one at most.
    public var persistentStores: [NSPersistentStore] { instance.map { [NSPersistentStore($0)] } ?? [] }

    /// A store's metadata, without opening it: application keys, `NSStoreModelVersionHashesKey`, `NSStoreUUIDKey` and such.
    /// - Throws: `StoreError`.
    public class func metadataForPersistentStore(
        ofType type: String = NSSQLiteStoreType, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] { try StoreMetadata.read(path: url.path).objects }

    /// Opens the store at a file; makes it where there is none and it may be written.
    /// - Throws: `StoreError`: `SchemaMismatch` where the store was made with another model, and what opening throws.
    @discardableResult
    public func addPersistentStore(_ description: NSPersistentStoreDescription) throws -> NSPersistentStore {
        guard let path = description.url?.path else {
            throw StoreError(.notFound, "the store description has no url", way: "set the file's url")
        }
        guard instance == nil else {
            throw StoreError(.refused, "the coordinator has a store already", way: "use a coordinator for each store")
        }
        let options = description.openingOptions
        let whole = managedObjectModel.modelDescription
        let model = try description.configuration.map { try part(of: whole, $0) } ?? whole
        if !options.isReadOnly, !StoreProbe.isTaken(path) {
            try FileManager.default.createDirectory(
                at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
            try StoreCreator.create(path, model: model, isTracked: options.isTracking)
        }
        let store = try Store.open(path, model: model, source: "the container's model")
        let instance = try LegacyInstance(store: store, managedObjectModel: managedObjectModel, options: options)
        let follower = try options.isReadOnly ? nil : follow(instance, posting: description.postsRemoteChanges)
        opened.withLock { $0 = Opened(instance: instance, follower: follower) }
        return NSPersistentStore(instance)
    }

    /// The entities of a configuration.
    /// - Throws: `StoreError` `SchemaMismatch` where there is none of that name, or it is not complete in itself.
    private func part(of model: ModelDescription, _ configuration: String) throws -> ModelDescription {
        do {
            return try model.restricted(toConfiguration: configuration)
        } catch {
            throw StoreError(
                .schemaMismatch, "configuration \(configuration) is no model of a store: \(error)",
                way: "configurations: \(model.configurations.keys.sorted().joined(separator: ", "))")
        }
    }

    /// Keeps the contexts up to date with what others commit.
    private func follow(_ instance: LegacyInstance, posting: Bool) throws -> InstanceFollower {
        try InstanceFollower(instance) { [weak self, weak instance] in
            guard posting, let self, let instance else { return }
            let token = try? NSPersistentHistoryToken(instance.historyToken(after: instance.position))
            NotificationCenter.default.post(
                name: .NSPersistentStoreRemoteChange, object: self,
                userInfo: [
                    NSStoreUUIDKey: instance.store.uuid,
                    NSPersistentStoreURLKey: URL(fileURLWithPath: instance.store.path),
                    NSPersistentHistoryTokenKey: token as Any,
                ])
        }
    }

    /// The identity that a URI names; nil where it is none of the store.
    public func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        instance.flatMap { $0.newContext().objectID(for: url) }
    }

    /// Closes the store. Contexts over it throw from then on.
    public func remove(_ store: NSPersistentStore) {
        let closed = opened.withLock { opened in
            guard opened?.instance === store.instance else { return Optional<Opened>.none }
            defer { opened = nil }
            return opened
        }
        closed?.follower?.stop()
        store.instance.close()
    }

    /// A token for the newest transaction of history.
    public func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        guard let instance else { return nil }
        return try? NSPersistentHistoryToken(instance.historyToken(after: instance.lastTransaction()))
    }
}
