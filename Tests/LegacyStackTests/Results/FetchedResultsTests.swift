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

struct FetchedResultsTests {
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
