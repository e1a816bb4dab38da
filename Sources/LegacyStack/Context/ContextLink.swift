import Synchronization

/// What an object holds of its context: the context itself, weakly, and a sign that others changed rows.
///
/// Reading a value costs one load of the flag; the context is only asked when it is set.
final class ContextLink: Sendable {
    let hasRemoteChanges = Atomic<Bool>(false)
    private let inbox = Mutex(RemoteChanges())
    private let owner = Mutex(Owner())

    private struct Owner {
        weak var context: NSManagedObjectContext?
    }

    var context: NSManagedObjectContext? { owner.withLock { $0.context } }

    func set(_ context: NSManagedObjectContext) { owner.withLock { $0.context = context } }

    func put(_ changes: RemoteChanges) {
        inbox.withLock { $0.merge(changes) }
        hasRemoteChanges.store(true, ordering: .releasing)
    }

    func take() -> RemoteChanges {
        hasRemoteChanges.store(false, ordering: .releasing)
        return inbox.withLock { inbox in
            let changes = inbox
            inbox = RemoteChanges()
            return changes
        }
    }
}
