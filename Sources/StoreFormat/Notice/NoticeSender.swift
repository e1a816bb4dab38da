import Foundation

/// Tells everybody who listens at a store that there was a commit. Never waits, and costs one look at the folder where
/// nobody listens.
///
/// Belongs to the thread that made it, like the writer that owns it.
final class NoticeSender {
    private let folder: String
    private let socket = DatagramSocket()
    private var directory: NoticeFolder.Directory?
    private var listeners: [String] = []
    private var known = FolderState()

    /// What tells that a folder holds other names than it did.
    private struct FolderState: Equatable {
        var device: UInt64 = 0
        var inode: UInt64 = 0
        var seconds = 0
        var nanoseconds = 0
    }

    init(storePath: String) {
        folder = NoticeFolder.path(of: storePath)
    }

    /// To be called after a commit.
    func committed() {
        lookForListeners()
        guard let socket, let directory else { return }
        for name in listeners where socket.send([1], to: name, in: directory) == .nobody {
            directory.remove(name)
        }
    }

    private func lookForListeners() {
        var info = stat()
        guard lstat(folder, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else {
            (directory, listeners, known) = (nil, [], FolderState())
            return
        }
        let state = FolderState(
            device: UInt64(info.st_dev), inode: UInt64(info.st_ino), seconds: info.st_mtim.tv_sec,
            nanoseconds: info.st_mtim.tv_nsec)
        // Two changes within one tick of the file system's clock look like one: a young folder is read again.
        guard state != known || isYoung(state) else { return }
        known = state
        directory = NoticeFolder.Directory(folder)
        listeners = directory?.sockets ?? []
    }

    private func isYoung(_ state: FolderState) -> Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return now.tv_sec - state.seconds < 1
    }
}
