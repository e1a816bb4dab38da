import Foundation
import StoreFormat
import StoreModel

/// A store with the classes that its objects are shown as.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: file))
/// let context = ModelContext(container)
/// ```
public final class ModelContainer: Sendable {
    /// The classes that the store's objects are shown as.
    public let schema: Schema
    /// The one configuration that the store was opened with.
    public let configurations: Set<ModelConfiguration>
    /// The stack's instance under the container: the bridge's way in.
    public let instance: ModelInstance
    let shapes: [ModelShape?]
    private let temporaryFolder: String?
    /// Nil for a store that is opened for reading only: what is read is then the file as it is.
    private let follower: InstanceFollower?
    private let main = MainContext()

    /// Opens the store, or makes it where there is none.
    /// - Throws: `StoreError`: `SchemaMismatch` where the store was made with other classes, and what opening throws.
    public convenience init(for types: any PersistentModel.Type..., configurations: ModelConfiguration...) throws {
        try self.init(for: Schema(types), configurations: configurations)
    }

    /// Opens the store of a schema, or makes it where there is none.
    /// - Throws: `StoreError`; `Refused` for more than one configuration or a schema without classes.
    public convenience init(for schema: Schema, configurations: ModelConfiguration...) throws {
        try self.init(for: schema, configurations: configurations)
    }

    /// Opens the store of a schema, or makes it where there is none; without a configuration the default one.
    /// - Throws: `StoreError`; `Refused` for more than one configuration or a schema without classes.
    public init(for schema: Schema, configurations: [ModelConfiguration]) throws {
        guard configurations.count <= 1 else {
            throw StoreError(
                .refused, "a container keeps one store, and \(configurations.count) configurations were given",
                way: "make a container for each store")
        }
        guard !schema.shapes.isEmpty else {
            throw StoreError(.refused, "the schema has no classes", way: "name at least one @Model class")
        }
        let configuration = configurations.first ?? ModelConfiguration(schema: schema)
        let path = configuration.url.path
        let model = try schema.modelDescription()
        if !StoreProbe.isTaken(path) {
            guard configuration.allowsSave else {
                throw StoreError(.notFound, "there is no file \(path)", way: "allow saving, so that it can be made")
            }
            try FileManager.default.createDirectory(
                at: configuration.url.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: configuration.isStoredInMemoryOnly ? [.posixPermissions: 0o700] : nil)
            try StoreCreator.create(path, model: model, isTracked: configuration.options.isTracking)
        }
        var options = configuration.options
        options.isReadOnly = options.isReadOnly || !configuration.allowsSave
        let orders = Dictionary(
            schema.shapes.map { ($0.name, $0.properties.map(\.name)) }, uniquingKeysWith: { first, _ in first })
        let store = try Store.open(path, model: model, source: "the program's classes")
        instance = try ModelInstance(store: store, options: options, orders: orders)
        follower = try options.isReadOnly ? nil : InstanceFollower(instance)
        let byName = Dictionary(schema.shapes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        shapes = instance.plan.entities.map { byName[$0.name] }
        self.schema = schema
        self.configurations = [configuration]
        temporaryFolder =
            configuration.isStoredInMemoryOnly ? configuration.url.deletingLastPathComponent().path : nil
    }

    /// Saves, through this container's stack, what a context of another instance has pending, as one that was refused after
    /// a handover.
    /// - Returns: the history transaction's number; nil if nothing had to be written.
    /// - Throws: see `StackInstance.forward(pending:)`; the changes are then still pending.
    @discardableResult
    public func forward(pending context: some PendingChanges) throws -> Int64? {
        try instance.forward(pending: context)
    }

    deinit {
        follower?.stop()
        instance.close()
        if let temporaryFolder { try? FileManager.default.removeItem(atPath: temporaryFolder) }
    }

    /// The context of the main actor.
    @MainActor public var mainContext: ModelContext {
        if let context = main.context { return context }
        let context = ModelContext(self)
        main.context = context
        // Replayed changes reach observers also while nobody reads.
        context.objects.inbox.setWake { [weak self] in
            Task { @MainActor in self?.main.context?.objects.syncIfNeeded() }
        }
        return context
    }
}

/// Keeps the main actor's context.
@MainActor private final class MainContext {
    var context: ModelContext?

    nonisolated init() {}
}
