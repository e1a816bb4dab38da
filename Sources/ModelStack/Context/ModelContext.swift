import Foundation
import StoreFormat

/// Where a program reads and changes the objects of a container.
///
/// A context and its objects belong to one thread or actor. Identifiers go between contexts, objects do not.
public final class ModelContext {
    /// The container whose objects the context reads and changes.
    public let container: ModelContainer
    let objects: ObjectContext
    /// `transactionAuthor` of what this context saves.
    public var author: String?
    /// The context's name in history.
    public var name: String?
    /// Kept for source compatibility: this stack saves when it is told to.
    public var autosaveEnabled = false

    /// Makes a context without changes.
    public init(_ container: ModelContainer) {
        self.container = container
        objects = ObjectContext(container.instance)
        let shapes = container.shapes
        objects.shapeOf = { shapes[$0.index] }
        objects.makeModel = { backing in
            backing.shape.map { ModelBacking.materialize($0.type, backing) }
        }
        objects.notifyProperties = { backing, names in
            guard let model = backing.model else { return }
            backing.shape?.notify(model, backing, of: names)
        }
        objects.upserts = true
        objects.facade = self
    }

    deinit {
        objects.abandon()
    }

    // MARK: Changes

    /// Makes an object, and everything new that it is related to, part of this context.
    public func insert<T: PersistentModel>(_ model: T) {
        model._$backing.model = model
        _ = objects.adopt(model._$backing)
        objects.keep(model._$backing)
    }

    /// Marks an object to be deleted by the next save.
    public func delete<T: PersistentModel>(_ model: T) {
        guard model._$backing.context === objects else { return }
        model._$backing.model = model
        objects.delete(model._$backing)
    }

    /// Deletes all objects that the predicate finds, with their delete rules, at the next save.
    public func delete<T: PersistentModel>(
        model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
    ) throws {
        for object in try fetch(FetchDescriptor<T>(predicate: predicate)) { delete(object) }
    }

    /// Whether the next save would write something.
    public var hasChanges: Bool { objects.hasChanges }
    /// The objects that the next save inserts.
    public var insertedModelsArray: [any PersistentModel] { models { $0.state == .inserted } }
    /// The stored objects that the next save updates.
    public var changedModelsArray: [any PersistentModel] {
        models { [objects] in $0.state == .persistent && objects.isChanged($0) }
    }
    /// The objects that the next save deletes.
    public var deletedModelsArray: [any PersistentModel] { models { $0.state == .deleted } }

    private func models(_ condition: (ModelBacking) -> Bool) -> [any PersistentModel] {
        objects.pending.filter(condition).compactMap { objects.model($0) as? any PersistentModel }
    }

    /// Writes all changes in one transaction.
    /// - Throws: `StoreError`, naming every offending object; then nothing is written, and the changes are still
    ///   pending.
    public func save() throws {
        try objects.save(author: author, contextName: name)
    }

    /// Gives up all changes.
    public func rollback() {
        objects.rollback()
    }

    /// Runs the body and saves.
    public func transaction(block: () throws -> Void) throws {
        try block()
        try save()
    }

    /// Takes in what others have committed and the bridge has replayed; reading any object does so too.
    public func processPendingChanges() {
        objects.syncIfNeeded()
    }

    // MARK: Objects by identity

    /// The object with that identity, if this context has it in memory.
    public func registeredModel<T: PersistentModel>(for id: PersistentIdentifier) -> T? {
        guard let entity = objects.plan[id.entityName], isOwn(id) else { return nil }
        return objects.registeredObject(entity.root, objects.currentKey(id.key)).flatMap { objects.model($0) as? T }
    }

    /// The object with that identity; one without values where there is none. `existingModel(for:)` tells the two apart.
    public func model(for id: PersistentIdentifier) -> any PersistentModel {
        if let found = try? anyModel(id) { return found }
        return container.placeholder(id.entityName)
    }

    /// The object with that identity; nil where there is none.
    /// - Throws: `StoreError` `OtherStore`, or `UnknownObject` for a temporary identity of another context.
    public func existingModel<T: PersistentModel>(for id: PersistentIdentifier) throws -> T? {
        try anyModel(id) as? T
    }

    /// The object with that identity; nil where there is none or it cannot be read.
    public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
        (try? anyModel(id)) as? T
    }

    private func isOwn(_ id: PersistentIdentifier) -> Bool {
        id.isTemporary || id.storeIdentifier == container.instance.store.uuid
    }

    private func anyModel(_ id: PersistentIdentifier) throws -> (any PersistentModel)? {
        guard isOwn(id) else {
            throw StoreError(.otherStore, "\(id) is an object of another store", way: "use a context of that store")
        }
        let entity = try objects.plan.entity(id.entityName)
        guard let backing = try objects.object(entity, id.key) else {
            guard !id.isTemporary else {
                throw StoreError(
                    .unknownObject, "a \(id.entityName) that was never saved is known to its own context only",
                    way: "save it there first, and take its identity then")
            }
            return nil
        }
        return objects.model(backing) as? any PersistentModel
    }
}

/// An actor with a container and a context; `@ModelActor` conforms it.
public protocol ModelActor: Actor {
    nonisolated var modelContainer: ModelContainer { get }
    var modelContext: ModelContext { get }
}

extension ModelActor {
    /// The object with that identity; nil where there is none.
    public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
        modelContext[id, as: type]
    }
}

extension ModelContainer {
    /// An object without values, in no context, of the entity's class.
    func placeholder(_ entityName: String) -> any PersistentModel {
        // A container's schema is never empty.
        let shape = schema.shapes.first { $0.name == entityName } ?? schema.shapes[0]
        return Self.make(shape.type)
    }

    private static func make<T: PersistentModel>(_ type: T.Type) -> any PersistentModel {
        T(_$materializing: ModelBacking(shape: T._$shape, values: []))
    }
}
