import Glibc
import Synchronization

/// A socket that takes connections.
public final class Listener: Sendable {
    private struct FileIdentity: Hashable {
        var device: UInt
        var inode: UInt
    }

    /// The listening descriptor, non-blocking.
    let descriptor: Int32
    /// The path of the socket; nil where it was inherited or is abstract.
    public let path: String?
    private let identity: FileIdentity?
    private let isClosed = Mutex(false)

    /// Makes a socket at a path, or with an abstract name after `@`.
    ///
    /// A socket file that is there is replaced only if nobody answers on it. Two servers that start at one path at
    /// the same moment may both find a stale file: whoever needs certainty holds a lock of its own.
    /// - Parameters:
    ///   - path: at most 107 bytes.
    ///   - mode: the permissions of the socket file; never wider, not even for a moment.
    ///   - backlog: how many connections may wait to be accepted.
    /// - Throws: ``ListenerError``.
    public init(path: String, mode: UInt32 = 0o600, backlog: Int32 = 128) throws(ListenerError) {
        guard let address = UnixAddress(path) else { throw .badPath(path) }
        let isAbstract = path.hasPrefix("@")
        if !isAbstract { try Self.removeStale(path, address) }
        let descriptor: Int32
        do { descriptor = try UnixAddress.makeSocket(isBlocking: false) } catch { throw .system(path: path, error) }
        // Linux takes the new file's mode from the socket's own, less the umask; chmod below gives what the umask
        // took.
        fchmod(descriptor, mode)
        func fail(_ operation: String) -> ListenerError {
            let error = SystemError(operation, code: errno)
            close(descriptor)
            return error.code == EADDRINUSE ? .inUse(path: path) : .system(path: path, error)
        }
        guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else { throw fail("bind") }
        guard listen(descriptor, backlog) == 0 else { throw fail("listen") }
        guard isAbstract || chmod(path, mode) == 0 else { throw fail("chmod") }
        self.descriptor = descriptor
        self.path = isAbstract ? nil : path
        self.identity = isAbstract ? nil : Self.identity(of: path)
    }

    /// Takes over a listening descriptor, as socket activation passes it. Its file is left alone at the end.
    /// - Throws: ``ListenerError/notListening(descriptor:)``.
    public init(inherited descriptor: Int32) throws(ListenerError) {
        func option(_ name: Int32) -> Int32? {
            var value: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
        }
        guard option(SO_ACCEPTCONN) == 1, option(SO_DOMAIN) == AF_UNIX,
            option(SO_TYPE) == Int32(SOCK_STREAM.rawValue)
        else { throw .notListening(descriptor: descriptor) }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        self.descriptor = descriptor
        self.path = nil
        self.identity = nil
    }

    /// Stops listening, and removes the socket file if it still is the one that was made here.
    public func stop() {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        guard !wasClosed else { return }
        if let path, let identity, Self.identity(of: path) == identity { unlink(path) }
        close(descriptor)
    }

    deinit {
        stop()
    }

    private static func identity(of path: String) -> FileIdentity? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        return FileIdentity(device: status.st_dev, inode: status.st_ino)
    }

    private static func removeStale(_ path: String, _ address: UnixAddress) throws(ListenerError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .system(path: path, SystemError("stat", code: errno))
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        let probe: Int32
        do { probe = try UnixAddress.makeSocket(isBlocking: false) } catch { throw .system(path: path, error) }
        defer { close(probe) }
        let result = address.withPointer { connect(probe, $0, $1) }
        let code = result == 0 ? 0 : errno
        switch code {
        // Connected, or only the queue is full: somebody is there.
        case 0, EAGAIN, EINPROGRESS: throw .inUse(path: path)
        case ECONNREFUSED:
            guard unlink(path) == 0 || errno == ENOENT else {
                throw .system(path: path, SystemError("unlink", code: errno))
            }
        case ENOENT: return
        default: throw .system(path: path, SystemError("connect", code: code))
        }
    }
}
