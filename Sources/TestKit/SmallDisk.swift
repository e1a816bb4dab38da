import Foundation

/// A file system of its own in memory, of a few bytes: for tests of what happens on a full disk, or on one that may only
/// be read. Gone when the test lets go of it.
public final class SmallDisk {
    /// Where it is mounted.
    public let path: String
    private let folder: TemporaryFolder

    /// Whether this process may mount file systems.
    public static let isPossible = (try? SmallDisk(bytes: 1 << 16)) != nil

    /// Mounts one.
    /// - Throws: `NotMounted` where that may not be done.
    public init(bytes: Int) throws {
        folder = try TemporaryFolder()
        path = folder.file("disk")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Self.mount(["-t", "tmpfs", "-o", "size=\(bytes)", "none", path])
    }

    deinit {
        if let umount = Programs.find("umount") { _ = try? Programs.run(umount, ["-l", path]) }
    }

    /// The file system could not be mounted.
    public struct NotMounted: Error {}

    private static func mount(_ arguments: [String]) throws {
        guard let mount = Programs.find("mount"), try Programs.run(mount, arguments).exitCode == 0 else {
            throw NotMounted()
        }
    }

    /// The path of a name on it.
    public func file(_ name: String) -> String { path + "/" + name }

    /// Fills it, but for so many bytes.
    public func fill(leaving rest: Int = 0) throws {
        var info = statvfs()
        guard statvfs(path, &info) == 0 else { throw NotMounted() }
        let count = max(0, Int(info.f_bavail) * Int(info.f_frsize) - rest)
        try Data(count: count).write(to: URL(fileURLWithPath: file("filling")))
    }

    /// Makes room again.
    public func empty() throws { try FileManager.default.removeItem(atPath: file("filling")) }

    /// Has it be read only from now on.
    public func makeReadOnly() throws { try Self.mount(["-o", "remount,ro", path]) }
}
