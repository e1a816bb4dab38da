import Foundation

/// Which file a path leads to: tells a file from another one that took its place. Asked of the path, so no descriptor is
/// opened or closed.
public struct FileIdentity: Sendable, Hashable {
    private var device: UInt64
    private var inode: UInt64

    /// The file at a path, links followed; nil where there is none.
    public init?(_ path: String) {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        device = UInt64(info.st_dev)
        inode = UInt64(info.st_ino)
    }
}
