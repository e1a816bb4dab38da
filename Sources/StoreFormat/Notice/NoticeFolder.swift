import Foundation
import SQLite

/// The folder beside a store in which those who want to be told of commits have a socket each: `STORE-coexist-notice`.
///
/// A commit is told by a datagram without content that matters: whoever gets one looks at the store. So a lost one costs
/// time only, and a forged one a look.
public enum NoticeFolder {
    /// The folder of the store at a path. A store that is opened through links has one.
    public static func path(of storePath: String) -> String { RealPath.of(storePath) + "-coexist-notice" }

    /// Removes the folder where nobody listens any more. Harmless where somebody does.
    public static func remove(of storePath: String) {
        let folder = path(of: storePath)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where !isHeard(name, in: folder) {
            unlink("\(folder)/\(name)")
        }
        rmdir(folder)
    }

    private static func isHeard(_ name: String, in folder: String) -> Bool {
        guard let socket = DatagramSocket(), let directory = Directory(folder) else { return true }
        return socket.send([], to: name, in: directory) != .nobody
    }

    /// A folder by its descriptor: a path through it is short enough for a socket's address, however long the folder's
    /// own is.
    final class Directory {
        let descriptor: Int32

        init?(_ path: String) {
            descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            if descriptor < 0 { return nil }
        }

        deinit { close(descriptor) }

        func address(of name: String) -> sockaddr_un? {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let path = Array("/proc/self/fd/\(descriptor)/\(name)".utf8)
            guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
            return address
        }
    }
}
