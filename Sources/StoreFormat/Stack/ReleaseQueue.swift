import Dispatch
import Synchronization

/// Lets go of many objects on a thread of its own.
///
/// To free thousands of rows that nobody has touched for a while takes longer than to forget them, and a cache's
/// readers wait for the one who forgets.
public enum ReleaseQueue {
    private static let queue = DispatchQueue(label: "org.coexistd.release", qos: .utility)

    /// Returns at once where there are many; a few are freed here.
    public static func release<Object: Sendable>(_ objects: consuming [Object]) {
        guard objects.count > 1_000 else { return }
        let held = Held(objects)
        queue.async { held.release() }
    }

    /// The block, not the caller, must have the last reference, however fast the block runs.
    private final class Held<Object: Sendable>: Sendable {
        private let objects: Mutex<[Object]>

        init(_ objects: consuming [Object]) { self.objects = Mutex(objects) }

        func release() { objects.withLock { $0 = [] } }
    }
}
