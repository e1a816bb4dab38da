import CoreData
import SQLite
import StoreFormat
import StoreModel
import TestKit

/// A library store in a folder of its own, opened through the stack.
final class Library {
    let folder: TemporaryFolder
    let path: String
    let instance: LegacyInstance
    let context: NSManagedObjectContext

    init(_ options: LegacyInstance.Options = .init(), model: ModelDescription = SampleModels.library) throws {
        folder = try TemporaryFolder()
        path = folder.file("library.sqlite")
        try StoreCreator.create(path, model: model)
        instance = try LegacyInstance(path: path, options: options)
        context = instance.newContext()
    }

    /// Another instance over the same file, as another process would have.
    func other(_ options: LegacyInstance.Options = .init()) throws -> LegacyInstance {
        try LegacyInstance(path: path, options: options)
    }

    @discardableResult
    func insert(_ entity: String, _ values: [String: Any] = [:], in context: NSManagedObjectContext? = nil)
        -> NSManagedObject
    {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context ?? self.context)
        object.setValuesForKeys(values)
        return object
    }

    func fetch(_ entity: String, _ predicate: NSPredicate? = nil, sort: String? = nil) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        request.sortDescriptors = sort.map { [NSSortDescriptor(key: $0, ascending: true)] }
        return try context.fetch(request)
    }

    /// Rows of a query of the file itself.
    func rows(_ sql: String) throws -> [[SQLValue]] {
        let connection = try Connection(path: path, mode: .readOnly)
        return try connection.query(sql)
    }

    /// Replays what others wrote since the instance's position.
    func replay(_ instance: LegacyInstance? = nil) throws {
        let instance = instance ?? self.instance
        let connection = try Connection(path: path, mode: .readOnly)
        let reader = HistoryReader(connection, store: instance.store)
        try instance.apply(try reader.transactions(after: instance.position))
    }

    /// Adopts the store, with the given owners of units; the others are the legacy stack's.
    func adopt(model units: Set<String>) throws {
        let connection = try StoreConnector.connect(path, .writer(.normal))
        try connection.transaction(.immediate) {
            try CoexistenceTables.create(connection)
            try CoexistenceState(
                form: CoexistenceTables.form, adopted: 0, timeline: 1, commits: 0, purgeFloor: 0, guardMode: .off,
                madeHistory: false, journalMode: "wal", backup: nil
            ).insert(connection)
            for (unit, entities) in OwnershipUnits.group(instance.store.layout) {
                let owner: StackName = units.contains(unit) ? .model : .legacy
                try connection.run(
                    "INSERT INTO COEXIST_UNIT (NAME, OWNER, EPOCH, SINCE) VALUES (?, ?, 1, 0)",
                    [.text(unit), .text(owner.rawValue)])
                for entity in entities {
                    let number = instance.store.layout[entity]?.number ?? 0
                    try connection.run(
                        "INSERT INTO COEXIST_ENTITY (NUMBER, NAME, UNIT) VALUES (?, ?, ?)",
                        [.integer(number), .text(entity), .text(unit)])
                }
            }
            for (table, root) in OwnershipUnits.joinTables(instance.store.layout) {
                let unit = OwnershipUnits.group(instance.store.layout).first { $0.value.contains(root) }?.key ?? root
                try connection.run("INSERT INTO COEXIST_JOIN (NAME, UNIT) VALUES (?, ?)", [.text(table), .text(unit)])
            }
        }
    }
}
