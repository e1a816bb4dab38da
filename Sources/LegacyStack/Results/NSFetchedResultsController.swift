import Foundation
import StoreFormat

/// What happened to an object of a results controller.
public enum NSFetchedResultsChangeType: UInt, Sendable {
    case insert = 1
    case delete = 2
    case move = 3
    case update = 4
}

/// A section of a results controller.
public protocol NSFetchedResultsSectionInfo {
    /// The value of the section's key, as text.
    var name: String { get }
    /// How many objects it has.
    var numberOfObjects: Int { get }
    /// The objects.
    var objects: [Any]? { get }
}

/// Told how a controller's results change. All calls of one change come between `willChange` and `didChange`, on the
/// context's queue: index paths of deletions and moves' origins are those before the change, the others those after it.
public protocol NSFetchedResultsControllerDelegate: AnyObject {
    /// Before the results change.
    func controllerWillChangeContent(_ controller: any FetchedResults)
    /// One object's change.
    func controller(
        _ controller: any FetchedResults, didChange object: Any, at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)
    /// A section came or went.
    func controller(
        _ controller: any FetchedResults, didChange section: any NSFetchedResultsSectionInfo, atSectionIndex index: Int,
        for type: NSFetchedResultsChangeType)
    /// After the results changed.
    func controllerDidChangeContent(_ controller: any FetchedResults)
}

extension NSFetchedResultsControllerDelegate {
    /// Does nothing: a delegate says only what it wants to hear.
    public func controllerWillChangeContent(_ controller: any FetchedResults) {}
    /// Does nothing with an object's change.
    public func controller(
        _ controller: any FetchedResults, didChange object: Any, at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {}
    /// Does nothing with a section's change.
    public func controller(
        _ controller: any FetchedResults, didChange section: any NSFetchedResultsSectionInfo, atSectionIndex index: Int,
        for type: NSFetchedResultsChangeType
    ) {}
    /// Does nothing after a change.
    public func controllerDidChangeContent(_ controller: any FetchedResults) {}
}

/// A results controller of any result type, as its delegate sees it.
public protocol FetchedResults: AnyObject {
    /// The sections now.
    var sections: [any NSFetchedResultsSectionInfo]? { get }
}

extension IndexPath {
    /// The place of a row in a section.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
    /// The row inside the section.
    public var row: Int { count > 1 ? self[1] : 0 }
    /// The section.
    public var section: Int { isEmpty ? 0 : self[0] }
}

/// A fetch that stays up to date, and says how its results change: with saves of its context, and with what others
/// saved when that is replayed.
public final class NSFetchedResultsController<Result: NSFetchRequestResult>: NSObject, FetchedResults, ContextObserver {
    /// What is fetched.
    public let fetchRequest: NSFetchRequest<Result>
    /// The context.
    public let managedObjectContext: NSManagedObjectContext
    /// The key path whose values make sections; the first sort key has to agree with it.
    public let sectionNameKeyPath: String?
    /// Told the changes.
    public weak var delegate: (any NSFetchedResultsControllerDelegate)?
    private var results: SectionedResults?

    /// Makes a controller; `performFetch` makes it live. No cache is kept, whatever its name.
    public init(
        fetchRequest: NSFetchRequest<Result>, managedObjectContext: NSManagedObjectContext,
        sectionNameKeyPath: String?, cacheName: String?
    ) {
        self.fetchRequest = fetchRequest
        self.managedObjectContext = managedObjectContext
        self.sectionNameKeyPath = sectionNameKeyPath
    }

    /// Fetches, and follows the context from then on.
    /// - Throws: what fetching throws.
    public func performFetch() throws {
        try managedObjectContext.locked {
            results = try fetchResults()
            managedObjectContext.observers[ObjectIdentifier(self)] = WeakObserver(observer: self)
        }
    }

    private func fetchResults() throws -> SectionedResults {
        let entity = try managedObjectContext.entity(of: fetchRequest)
        if let type = Result.self as? NSManagedObject.Type {
            managedObjectContext.instance.managedObjectModel.registerIfMissing(type, forEntityName: entity.name)
        }
        return SectionedResults(
            try managedObjectContext.objects(entity, fetchRequest), keyPath: sectionNameKeyPath)
    }

    /// The objects, in order; nil before `performFetch`.
    public var fetchedObjects: [Result]? { managedObjectContext.locked { results?.objects as? [Result] } }
    /// The sections; nil before `performFetch`.
    public var sections: [any NSFetchedResultsSectionInfo]? { managedObjectContext.locked { results?.sections } }

    /// The object at a place. Stops the program where there is none.
    public func object(at indexPath: IndexPath) -> Result {
        managedObjectContext.locked {
            guard let object = results?.object(at: indexPath) as? Result else {
                preconditionFailure("the results have no object at \(indexPath)")
            }
            return object
        }
    }

    /// The place of an object; nil where it is not among the results.
    public func indexPath(forObject object: Result) -> IndexPath? {
        managedObjectContext.locked { (object as? NSManagedObject).flatMap { results?.indexPath(of: $0) } }
    }

    func contextChanged(_ context: NSManagedObjectContext, changed: Set<RowKey>) {
        // A fetch that fails leaves the results as they were; the next change tries again.
        guard let old = results, let new = try? fetchResults() else { return }
        let changes = ResultsDifference(from: old, to: new, updated: changed).changes
        let sections = SectionDifference(from: old, to: new)
        results = new
        guard !changes.isEmpty || !sections.isEmpty, let delegate else { return }
        delegate.controllerWillChangeContent(self)
        for index in sections.deleted {
            delegate.controller(self, didChange: old.sections[index], atSectionIndex: index, for: .delete)
        }
        for index in sections.inserted {
            delegate.controller(self, didChange: new.sections[index], atSectionIndex: index, for: .insert)
        }
        for change in changes {
            delegate.controller(
                self, didChange: change.object, at: change.from, for: change.type, newIndexPath: change.to)
        }
        delegate.controllerDidChangeContent(self)
    }
}
