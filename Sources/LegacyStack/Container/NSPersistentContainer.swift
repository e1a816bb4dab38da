import Foundation
import StoreFormat
import StoreModel
import Synchronization

/// A model, its store, and contexts over it.
///
/// ```swift
/// let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
/// container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
/// container.loadPersistentStores { _, error in … }
/// let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: container.viewContext)
/// try container.viewContext.save()
/// ```
///
/// `@unchecked Sendable`: `descriptions` and `view` are only touched under `lock`.
open class NSPersistentContainer: @unchecked Sendable {
    /// The container's name, which names the file where no description does.
    public let name: String
    /// The model.
    public let managedObjectModel: NSManagedObjectModel
    /// What opens the store.
    public let persistentStoreCoordinator: NSPersistentStoreCoordinator

    private let lock = NSLock()
    private var descriptions: [NSPersistentStoreDescription]
    private var view: NSManagedObjectContext?

    /// Makes a container for a model that the program has.
    public init(name: String, managedObjectModel: NSManagedObjectModel) {
        self.name = name
        self.managedObjectModel = managedObjectModel
        persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: managedObjectModel)
        descriptions = [
            NSPersistentStoreDescription(url: Self.defaultDirectoryURL().appendingPathComponent("\(name).sqlite"))
        ]
    }

    /// The folder of stores without a url: `$XDG_DATA_HOME`, or `~/.local/share`, and the program's name.
    open class func defaultDirectoryURL() -> URL {
        let environment = ProcessInfo.processInfo.environment
        let base =
            environment["XDG_DATA_HOME"].map { URL(fileURLWithPath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share")
        return base.appendingPathComponent(ProcessInfo.processInfo.processName)
    }

    /// Where the store lies; the first one counts.
    public var persistentStoreDescriptions: [NSPersistentStoreDescription] {
        get { lock.withLock { descriptions } }
        set { lock.withLock { descriptions = newValue } }
    }

    /// Opens the store, and calls back before it returns.
    public func loadPersistentStores(
        completionHandler block: (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions.prefix(1) {
            do {
                try persistentStoreCoordinator.addPersistentStore(description)
                block(description, nil)
            } catch {
                block(description, error)
            }
        }
    }

    /// The opened store.
    /// - Throws: `StoreError` `Refused` before `loadPersistentStores` succeeded.
    public func openedInstance() throws -> LegacyInstance {
        guard let instance = persistentStoreCoordinator.instance else {
            throw StoreError(.refused, "the container's store is not open", way: "call loadPersistentStores first")
        }
        return instance
    }

    /// Saves, through this container's stack, what a context of another instance has pending, as one that was refused after
    /// a handover.
    /// - Returns: the history transaction's number; nil if nothing had to be written.
    /// - Throws: see `StackInstance.forward(pending:)`; the changes are then still pending.
    @discardableResult
    public func forward(pending context: some PendingChanges) throws -> Int64? {
        try openedInstance().forward(pending: context)
    }

    private var instance: LegacyInstance {
        guard let instance = persistentStoreCoordinator.instance else {
            preconditionFailure(
                "the container \(name) has no open store: call loadPersistentStores, and look at its error")
        }
        return instance
    }

    /// The context for the program's main thread.
    public var viewContext: NSManagedObjectContext {
        lock.withLock {
            if let view { return view }
            let made = NSManagedObjectContext(instance: instance, concurrencyType: .mainQueueConcurrencyType)
            view = made
            return made
        }
    }

    /// A new context with a queue of its own.
    open func newBackgroundContext() -> NSManagedObjectContext { instance.newContext() }

    /// Runs the block with a new context, on that context's queue.
    open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    /// Runs the block with a new context, on that context's queue.
    open func performBackgroundTask<T: Sendable>(
        _ block: @escaping @Sendable (NSManagedObjectContext) throws -> T
    ) async throws -> T {
        let context = newBackgroundContext()
        return try await context.perform { try block(context) }
    }
}
