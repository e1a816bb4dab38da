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
            for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] {
                for object in notification.userInfo?[key] as? Set<NSManagedObject> ?? [] {
                    changes.add(object.id.rowKey, isDeleted: key == NSDeletedObjectsKey)
                }
            }
            link.put(changes)
            absorb()
        }
    }

    /// Tells results controllers of unsaved changes; a save does so by itself.
    public func processPendingChanges() {
        locked {
            absorb()
            tellObservers(changed: Set((pendingInserted + pendingUpdated).map(\.id.rowKey)))
        }
    }

    func didSaveInfo(_ work: SaveWork) -> [AnyHashable: Any] {
        [
            NSInsertedObjectsKey: Set(work.inserted), NSUpdatedObjectsKey: Set(work.updated),
            NSDeletedObjectsKey: Set(work.deleted),
        ]
    }
}
