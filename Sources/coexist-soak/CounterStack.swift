import Foundation
import LegacyStack
import ModelStack
import StoreFormat

/// One addition to a counter: in one save, the counter's value grows and an entry that tells of it is inserted.
struct CounterWork {
    var entity: String
    var counter: Int64
    var author: String
    var entry: String
    var amount: Int
}

/// A stack that can add to counters, opened as a program would.
protocol CounterStack {
    var instance: any StackInstance { get }
    /// - Throws: `StoreError`; then nothing is written, and nothing is pending.
    func add(_ work: CounterWork) throws
}

/// Through managed objects.
struct LegacyCounters: CounterStack {
    private let legacy: LegacyInstance
    private let follower: InstanceFollower
    private let context: NSManagedObjectContext
    var instance: any StackInstance { legacy }

    init(_ path: String, busyTimeout: Int) throws {
        var options = LegacyInstance.Options()
        options.busyTimeout = busyTimeout
        legacy = try LegacyInstance(path: path, options: options)
        follower = try InstanceFollower(legacy)
        context = legacy.newContext()
    }

    func add(_ work: CounterWork) throws {
        try context.performAndWait {
            context.transactionAuthor = work.author
            let reference = ObjectReference(entity: work.entity, key: work.counter)
            let counter = try context.existingObject(with: try context.objectID(for: reference))
            let value = counter.value(forKey: "value") as? Int64 ?? 0
            counter.setValue(value + Int64(work.amount), forKey: "value")
            let entry = NSEntityDescription.insertNewObject(forEntityName: work.entity, into: context)
            entry.setValue(work.counter, forKey: "value")
            entry.setValue(work.entry, forKey: "entry")
            do {
                try context.save()
            } catch {
                context.rollback()
                throw error
            }
            context.refresh(entry, mergeChanges: false)
        }
    }
}

/// Through `@Model` objects.
struct ModelCounters: CounterStack {
    private let container: ModelContainer
    var instance: any StackInstance { container.instance }

    init(_ path: String, busyTimeout: Int) throws {
        container = try CounterTypes.container(path) { $0.busyTimeout = busyTimeout }
    }

    func add(_ work: CounterWork) throws {
        guard let type = CounterTypes.named[work.entity] else { return }
        try add(work, type)
    }

    private func add<T: Counted>(_ work: CounterWork, _ type: T.Type) throws {
        let context = ModelContext(container)
        context.author = work.author
        let id = PersistentIdentifier.identifier(
            for: container.instance.store.uuid, entityName: work.entity, primaryKey: work.counter)
        guard let counter: T = try context.existingModel(for: id) else {
            throw StoreError(.unknownObject, "\(work.entity)/\(work.counter) is gone")
        }
        counter.value += work.amount
        let entry = T()
        entry.value = Int(work.counter)
        entry.entry = work.entry
        context.insert(entry)
        try context.save()
    }
}

extension CounterTypes {
    static let names = all.map { "\($0)" }
    static let named = Dictionary(all.map { ("\($0)", $0) }, uniquingKeysWith: { first, _ in first })

    /// Opens the store of the counters, or makes it where there is none.
    static func container(_ path: String, _ configure: (inout ModelInstance.Options) -> Void = { _ in }) throws
        -> ModelContainer
    {
        var configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
        configure(&configuration.options)
        let schema = Schema(all.map { $0 as any PersistentModel.Type })
        return try ModelContainer(for: schema, configurations: configuration)
    }
}
