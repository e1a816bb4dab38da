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
        if let directory = Directory(folder), let socket = DatagramSocket() {
            for name in directory.sockets where socket.send([], to: name, in: directory) == .nobody {
                directory.remove(name)
            }
        }
        rmdir(folder)
    }

    /// Whether a daemon listens: one that is at work does. Who is asked looks at the store, and at its lock.
    static func hasDaemon(of storePath: String) -> Bool {
        guard let directory = Directory(path(of: storePath)), let socket = DatagramSocket() else { return false }
        return directory.sockets.contains { name in
            guard NoticeListener.isDaemon(name) else { return false }
            switch socket.send([], to: name, in: directory) {
            case .sent, .full: return true
            // Of a socket that may not be written to nothing is known: the lock alone decides.
            case .nobody, .failed: return false
            }
        }
    }

    /// A folder by its descriptor: a path through it is short enough for a socket's address, however long the folder's
    /// own is, and stays in it. A link is no such folder, and what lies in it beside sockets is left alone: it may be
    /// anybody's.
    final class Directory {
        let descriptor: Int32

        init?(_ path: String) {
            descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if descriptor < 0 { return nil }
        }

        deinit { close(descriptor) }

        /// The sockets in it, by name.
        var sockets: [String] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd/\(descriptor)/.")) ?? []
            return names.filter(isSocket)
        }

        /// Removes a socket, and nothing else.
        func remove(_ name: String) {
            if isSocket(name) { unlinkat(descriptor, name, 0) }
        }

        private func isSocket(_ name: String) -> Bool {
            var info = stat()
            return fstatat(descriptor, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && info.st_mode & S_IFMT == S_IFSOCK
        }

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
