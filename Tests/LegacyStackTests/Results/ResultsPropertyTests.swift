import CoreData
import StoreFormat
import TestKit
import Testing

/// A results controller's changes, applied to the old results, give the new ones: whatever changed.
@Suite struct ResultsPropertyTests {
    /// Keeps the rows of each section as a table would, by the controller's word alone.
    private final class Table: NSFetchedResultsControllerDelegate {
        var sections: [[NSManagedObjectID]] = []
        var badMoves = 0
        private var removed: [IndexPath] = []
        private var added: [(place: IndexPath, id: NSManagedObjectID)] = []
        private var removedSections: [Int] = []
        private var addedSections: [Int] = []
        private(set) var types: Set<NSFetchedResultsChangeType> = []

        func controllerWillChangeContent(_ controller: any FetchedResults) {
            (removed, added, removedSections, addedSections) = ([], [], [], [])
        }

        func controller(
            _ controller: any FetchedResults, didChange object: Any, at indexPath: IndexPath?,
            for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
        ) {
            types.insert(type)
            guard let id = (object as? NSManagedObject)?.objectID else { return }
            if type == .move, indexPath == newIndexPath { badMoves += 1 }
            if type != .insert, type != .update, let indexPath { removed.append(indexPath) }
            if type != .delete, type != .update, let newIndexPath { added.append((newIndexPath, id)) }
        }

        func controller(
            _ controller: any FetchedResults, didChange section: any NSFetchedResultsSectionInfo,
            atSectionIndex index: Int, for type: NSFetchedResultsChangeType
        ) {
            if type == .delete { removedSections.append(index) } else { addedSections.append(index) }
        }

        func controllerDidChangeContent(_ controller: any FetchedResults) {
            for path in removed.sorted(by: >) where !removedSections.contains(path.section) {
                sections[path.section].remove(at: path.row)
            }
            for index in removedSections.sorted(by: >) { sections.remove(at: index) }
            for index in addedSections.sorted() { sections.insert([], at: index) }
            for (path, id) in added.sorted(by: { $0.place < $1.place }) {
                sections[path.section].insert(id, at: path.row)
            }
        }
    }

    private func controller(_ context: NSManagedObjectContext, isSectioned: Bool)
        -> NSFetchedResultsController<NSManagedObject>
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "stock != 0 OR stock == nil")
        let keys = isSectioned ? ["isbn", "pages"] : ["pages"]
        request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: true) }
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: isSectioned ? "isbn" : nil,
            cacheName: nil)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>, [false, true])
    func theChangesGiveTheNewResults(seed: UInt64, isSectioned: Bool) throws {
        var random = SplitMix(seed: seed)
        let library = try Library()
        let context = library.context
        let controller = controller(context, isSectioned: isSectioned)
        let table = Table()
        controller.delegate = table
        try controller.performFetch()
        table.sections =
            controller.sections.map { $0.map { ($0.objects ?? []).compactMap { ($0 as? NSManagedObject)?.objectID } } }
            ?? []
        var books: [NSManagedObject] = []
        for _ in 0..<25 {
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    books.append(
                        library.insert(
                            "Book",
                            [
                                "pages": Int.random(in: 0..<8, using: &random),
                                "isbn": ["A", "B", "C"].randomElement(using: &random) ?? "A",
                            ]))
                case 2:
                    guard let place = books.indices.randomElement(using: &random) else { continue }
                    context.delete(books.remove(at: place))
                case 3:
                    books.randomElement(using: &random)?.setValue(
                        Int.random(in: 0..<8, using: &random), forKey: "pages")
                case 4:
                    books.randomElement(using: &random)?.setValue(
                        ["A", "B", "C"].randomElement(using: &random), forKey: "isbn")
                default:
                    books.randomElement(using: &random)?.setValue(
                        Int.random(in: 0..<3, using: &random), forKey: "stock")
                }
            }
            try context.save()
            let now = (controller.sections ?? []).map { section in
                (section.objects ?? []).compactMap { ($0 as? NSManagedObject)?.objectID }
            }
            #expect(table.sections == now)
            #expect(now.flatMap { $0 } == (try context.fetch(controller.fetchRequest)).map(\.objectID))
        }
        #expect(table.badMoves == 0)
        #expect(table.types == [.insert, .delete, .move, .update])
    }

    /// In sections or not: an object that stays where it is was updated, and never moved.
    @Test(arguments: [false, true])
    func aChangeOfWhatIsNotSortedByIsAnUpdate(isSectioned: Bool) throws {
        final class Log: NSFetchedResultsControllerDelegate {
            var changes: [(NSFetchedResultsChangeType, IndexPath?, IndexPath?)] = []
            func controller(
                _ controller: any FetchedResults, didChange object: Any, at indexPath: IndexPath?,
                for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
            ) {
                changes.append((type, indexPath, newIndexPath))
            }
        }
        let library = try Library()
        let books = (0..<4).map { library.insert("Book", ["pages": $0, "isbn": "A"]) }
        try library.context.save()
        let controller = controller(library.context, isSectioned: isSectioned)
        let log = Log()
        controller.delegate = log
        try controller.performFetch()
        books[2].setValue("new", forKey: "title")
        try library.context.save()
        #expect(log.changes.map(\.0) == [.update])
        #expect(log.changes.first?.1 == IndexPath(row: 2, section: 0))
    }
}
