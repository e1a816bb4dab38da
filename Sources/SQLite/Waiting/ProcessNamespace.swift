import Foundation

/// The namespace that this process counts processes in. A number that another process noted of itself means something here
/// only where it counts in the same one.
public enum ProcessNamespace {
    /// A number for it; 0 where it cannot be seen.
    public static let own: UInt32 = {
        var info = stat()
        return stat("/proc/self/ns/pid", &info) == 0 ? UInt32(truncatingIfNeeded: info.st_ino) : 0
    }()

    /// Whether numbers from there can be looked up here, as far as is known.
    public static func isOwn(_ namespace: UInt32) -> Bool { namespace == 0 || own == 0 || namespace == own }
}
