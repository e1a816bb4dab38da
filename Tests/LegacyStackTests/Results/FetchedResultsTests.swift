import CoreData
import StoreFormat
import TestKit
import Testing

/// Notes what a controller tells.
private final class Recorder: NSFetchedResultsControllerDelegate {
    var events: [String] = []

    func controller(
        _ controller: any FetchedResults, didChange object: Any, at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        events.append("\(type) \(indexPath.map { "\($0.row)" } ?? "-") \(newIndexPath.map { "\($0.row)" } ?? "-")")
    }
}

/// Saves one more tag for each that others made.
private final class SavingDelegate: NSFetchedResultsControllerDelegate {
    let context: NSManagedObjectContext
    var foreign: [String] = []
    var rounds = 0

    init(_ context: NSManagedObjectContext) {
        self.context = context
    }

    func controller(
        _ controller: any FetchedResults, didChange object: Any, at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        guard type == .insert, let name = (object as? NSManagedObject)?.value(forKey: "name") as? String,
            name.hasPrefix("foreign")
        else { return }
        foreign.append(name)
    }

    func controllerDidChangeContent(_ controller: any FetchedResults) {
        rounds += 1
        let names = foreign
        foreign = []
        guard !names.isEmpty, rounds < 1_000 else { return }
        for name in names {
            NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context).setValue(
                "own, for \(name)", forKey: "name")
        }
        try? context.save()
    }
}

/// Counts what a controller tells in one go.
private final class Counter: NSFetchedResultsControllerDelegate {
    var changes = 0
    var rounds: [Int] = []

    func controller(
        _ controller: any FetchedResults, didChange object: Any, at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        changes += 1
    }

    func controllerDidChangeContent(_ controller: any FetchedResults) {
        rounds.append(changes)
        changes = 0
    }
}

struct FetchedResultsTests {
    @Test func aDelegateThatSavesEnds() throws {
        let library = try Library()
        let controller = try controller(library)
        let delegate = SavingDelegate(library.context)
        controller.delegate = delegate
        let context = try library.other().newContext()
        for i in 1...5 {
            library.insert("Tag", ["name": "foreign \(i)"], in: context)
            try context.save()
        }
        try library.replay()
        library.context.performAndWait {}
        #expect(controller.fetchedObjects?.count == 10)
        let saves = try library.rows("SELECT count(*) FROM ATRANSACTION WHERE Z_PK > 5")
        #expect((1...5).contains(saves.first?.first?.integerValue ?? 0))
        #expect(delegate.rounds <= 10, "its own saves call for no more")
        #expect(!library.context.hasChanges)
        // What others do later is answered as before.
        library.insert("Tag", ["name": "foreign 6"], in: context)
        try context.save()
        try library.replay()
        library.context.performAndWait {}
        #expect(controller.fetchedObjects?.count == 12)
    }

    @Test func aSaveOfManyRelatedObjectsIsOneChange() throws {
        let library = try Library()
        let other = try library.other()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let counters = [Counter(), Counter()]
        let controllers = try [library.context, other.newContext()].map { context in
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
            try controller.performFetch()
            return controller
        }
        for (controller, counter) in zip(controllers, counters) { controller.delegate = counter }
        let author = library.insert("Author", ["name": "Austen"])
        for i in 1...500 { library.insert("Book", ["title": "\(i)", "author": author]) }
        try library.context.save()
        try library.replay(other)
        controllers[1].managedObjectContext.performAndWait {}
        #expect(counters.map(\.rounds) == [[500], [500]])
        let counts = """
            SELECT count(DISTINCT ZTRANSACTIONID), count(*), count(DISTINCT ZENTITY || '/' || ZENTITYPK), max(ZCHANGETYPE)
            FROM ACHANGE
            """
        #expect(try library.rows(counts) == [[.integer(1), .integer(501), .integer(501), .integer(0)]])
    }

    private func controller(_ library: Library) throws -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: library.context, sectionNameKeyPath: nil, cacheName: nil)
        try controller.performFetch()
        return controller
    }

    @Test func savesAreToldAsInsertMoveUpdateAndDelete() throws {
        let library = try Library()
        let tags = ["a", "b", "c"].map { library.insert("Tag", ["name": $0]) }
        try library.context.save()
        let controller = try controller(library)
        let recorder = Recorder()
        controller.delegate = recorder
        tags[0].setValue("d", forKey: "name")
        try library.context.save()
        #expect(recorder.events == ["move 0 2"])
        recorder.events = []
        tags[1].setValue("bb", forKey: "name")
        library.insert("Tag", ["name": "a"])
        try library.context.save()
        #expect(recorder.events == ["update 0 1", "insert - 0"])
        recorder.events = []
        library.context.delete(tags[2])
        try library.context.save()
        #expect(recorder.events == ["delete 2 -"])
        #expect(controller.fetchedObjects?.count == 3)
    }

    @Test func replayedChangesAreTold() throws {
        let library = try Library()
        library.insert("Tag", ["name": "a"])
        try library.context.save()
        let controller = try controller(library)
        let recorder = Recorder()
        controller.delegate = recorder
        let context = try library.other().newContext()
        library.insert("Tag", ["name": "0"], in: context)
        try context.save()
        try library.replay()
        library.context.performAndWait {}
        #expect(recorder.events == ["insert - 0"])
    }
}
