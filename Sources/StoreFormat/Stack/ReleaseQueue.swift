import Dispatch

/// Lets go of many objects on a thread of its own.
///
/// To free thousands of rows that nobody has touched for a while takes longer than to forget them, and a cache's
/// readers wait for the one who forgets.
public enum ReleaseQueue {
    private static let queue = DispatchQueue(label: "org.coexistd.release", qos: .utility)

    /// Returns at once where there are many; a few are freed here.
    public static func release<Object: Sendable>(_ objects: consuming [Object]) {
        guard objects.count > 1_000 else { return }
        let objects = objects
        queue.async { withExtendedLifetime(objects) {} }
    }
}
