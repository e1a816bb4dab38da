import Foundation

/// A socket in a store's notice folder, for as long as this object lives.
final class NoticeListener {
    let socket: DatagramSocket
    private let path: String

    /// Nil where none can be made, as in a folder that may only be read: the log's events and the poll are left then.
    init?(storePath: String) {
        let folder = NoticeFolder.path(of: storePath)
        if mkdir(folder, 0o770) != 0, errno != EEXIST { return nil }
        let name = "\(getpid())-\(UUID().uuidString)"
        path = "\(folder)/\(name)"
        guard let socket = DatagramSocket(), let directory = NoticeFolder.Directory(folder),
            socket.bind(to: name, in: directory)
        else { return nil }
        self.socket = socket
    }

    deinit {
        unlink(path)
        rmdir((path as NSString).deletingLastPathComponent)
    }
}
