import Foundation
import StoreFormat

extension Notification.Name {
    /// Posted after a save, with the objects in sets under the keys below.
    public static let NSManagedObjectContextDidSave = Notification.Name("NSManagingContextDidSaveChangesNotification")
}

/// The key of the objects that were inserted.
public let NSInsertedObjectsKey = "inserted"
/// The key of the objects that were updated.
public let NSUpdatedObjectsKey = "updated"
/// The key of the objects that were deleted.
public let NSDeletedObjectsKey = "deleted"

extension NSManagedObjectContext {
    /// The name that a save is posted under.
    public static var didSaveObjectsNotification: Notification.Name { .NSManagedObjectContextDidSave }

    /// Refreshes the objects that another context of the same store saved.
    public func mergeChanges(fromContextDidSave notification: Notification) {
        locked {
            var changes = RemoteChanges()
            let now = Date.timeIntervalSinceReferenceDate
            func add(_ key: String, _ kind: HistoryChange.Kind) {
                for object in notification.userInfo?[key] as? Set<NSManagedObject> ?? [] {
                    changes.add(object.id.rowKey, entity: object.info.index, kind, timestamp: now)
                }
            }
            add(NSInsertedObjectsKey, .insert)
            add(NSUpdatedObjectsKey, .update)
            add(NSDeletedObjectsKey, .delete)
            link.put(changes)
            absorb()
        }
    }

    /// Tells results controllers of unsaved changes; a save does so by itself.
    public func processPendingChanges() {
        locked {
            absorb()
            tellObservers(
                inserted: Set(pendingInserted.map(\.id.rowKey)), updated: Set(pendingUpdated.map(\.id.rowKey)),
                deleted: Set(deletedList.map(\.id.rowKey)))
        }
    }

    func didSaveInfo(_ work: SaveWork) -> [AnyHashable: Any] {
        [
            NSInsertedObjectsKey: Set(work.inserted), NSUpdatedObjectsKey: Set(work.updated),
            NSDeletedObjectsKey: Set(work.deleted),
        ]
    }
}
