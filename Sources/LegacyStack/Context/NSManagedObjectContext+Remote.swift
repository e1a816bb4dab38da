import Foundation
import StoreFormat

/// Told what changed in a context: by a save, or by others.
protocol ContextObserver: AnyObject {
    /// Runs under the context's lock.
    /// - Parameter changed: the objects that were inserted or updated.
    func contextChanged(_ context: NSManagedObjectContext, changed: Set<RowKey>)
}

struct WeakObserver {
    weak var observer: (any ContextObserver)?
}

extension NSManagedObjectContext {
    /// Takes in what other instances or contexts saved. Called from any thread: the objects change when the context is
    /// next used, or on its queue where somebody watches.
    func receive(_ changes: RemoteChanges) {
        link.put(changes)
        queue.async { [weak self] in
            guard let self else { return }
            self.locked { if !self.observers.isEmpty { self.absorb() } }
        }
    }

    /// Brings the registered objects up to date: clean ones are read anew when asked for, deleted ones are marked, ones
    /// with unsaved changes stay for the version test of their save.
    func absorb() {
        guard link.hasRemoteChanges.load(ordering: .acquiring) else { return }
        locked {
            if isChanging { return }
            let changes = link.take()
            guard !changes.isEmpty else { return }
            for (key, isDeleted) in changes.objects {
                guard let object = registeredObject(key) else { continue }
                if isDeleted { markDeleted(object) } else { refreshClean(object) }
            }
            for root in changes.droppedRoots {
                for place in registered[root].values {
                    if let object = place.object { refreshClean(object) }
                }
            }
            tell(changes)
        }
    }

    /// Runs the body against what the objects show now: what others saved is not taken in before its end.
    func withoutNews(_ body: () -> Void) {
        locked {
            let outer = isChanging
            isChanging = true
            defer { isChanging = outer }
            body()
        }
    }

    private func refreshClean(_ object: NSManagedObject) {
        guard object.flags.isDisjoint(with: [.inserted, .deleted]) else { return }
        if object.flags.contains(.updated), object.hasPersistentChangedValues { return }
        let shown = object.flags.contains(.fault) ? object.outdated : object.row
        turnIntoFault(object)
        object.outdated = shown
    }

    private func markDeleted(_ object: NSManagedObject) {
        guard object.flags.isDisjoint(with: [.inserted, .deleted]) else { return }
        if object.flags.contains(.updated), object.hasPersistentChangedValues { return }
        object.flags.remove(.updated)
        object.flags.formUnion([.deleted, .gone])
        registered[object.info.rootIndex][object.id.key] = nil
        object.leave()
    }

    private func tell(_ changes: RemoteChanges) {
        var changed = Set(changes.objects.lazy.filter { !$0.value }.map(\.key))
        // Where whole tables were dropped, any object may have changed.
        for root in changes.droppedRoots {
            changed.formUnion(registered[root].keys.filter { $0 > 0 }.map { RowKey(root: root, key: $0) })
        }
        tellObservers(changed: changed)
    }

    func tellObservers(changed: Set<RowKey>) {
        observers = observers.filter { $0.value.observer != nil }
        for entry in observers.values {
            entry.observer?.contextChanged(self, changed: changed)
        }
    }
}
