import Foundation

/// A socket in a store's notice folder, until it is closed.
final class NoticeListener {
    let socket: DatagramSocket
    private let name: String
    private let folder: String
    private let directory: NoticeFolder.Directory
    private var isClosed = false
    private static let daemonMark = "daemon"

    /// Nil where none can be made, as in a folder that may only be read: the log's events and the poll are left then.
    /// - Parameter isDaemon: whether it is a daemon's, which others then find by it.
    init?(storePath: String, isDaemon: Bool) {
        folder = NoticeFolder.path(of: storePath)
        if mkdir(folder, 0o770) != 0, errno != EEXIST { return nil }
        name = "\(getpid())-\(isDaemon ? Self.daemonMark + "-" : "")\(UUID().uuidString)"
        guard let socket = DatagramSocket(), let directory = NoticeFolder.Directory(folder),
            socket.bind(to: name, in: directory)
        else { return nil }
        self.socket = socket
        self.directory = directory
    }

    deinit { close() }

    /// Takes the socket's name away: nobody finds it any more. Harmless when that has been done.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        directory.remove(name)
        rmdir(folder)
    }

    /// Whether a socket of that name is a daemon's.
    static func isDaemon(_ name: String) -> Bool { name.split(separator: "-").dropFirst().first == daemonMark[...] }
}
