/// Why a server cannot listen.
public enum ListenerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A path that is empty or longer than a socket's address holds.
    case badPath(String)
    /// Another process answers on the socket.
    case inUse(path: String)
    /// Something that is no socket is there.
    case notASocket(path: String)
    /// The descriptor is no listening Unix stream socket.
    case notListening(descriptor: Int32)
    /// A system call failed.
    case system(path: String, SystemError)

    /// One line for a person.
    public var description: String {
        switch self {
        case .badPath(let path):
            path.utf8.count > UnixAddress.maximumPathBytes
                ? "the socket's path `\(path)` has \(path.utf8.count) bytes, and Linux takes at most "
                    + "\(UnixAddress.maximumPathBytes)"
                : "`\(path)` is no path for a socket"
        case .inUse(let path): "\(path): another process answers there"
        case .notASocket(let path): "\(path): something that is no socket is there"
        case .notListening(let descriptor): "descriptor \(descriptor) is no listening Unix stream socket"
        case .system(let path, let error): "\(path): \(error)"
        }
    }
}
