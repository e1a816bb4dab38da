import CSystemd

/// A descriptor that the service manager opened and passed on.
public struct InheritedSocket: Sendable, Hashable {
    /// The descriptor; it is closed on exec and otherwise the receiver's to close.
    public var descriptor: Int32
    /// `FileDescriptorName=` of the socket unit, or the unit's name, or `unknown`.
    public var name: String

    /// A descriptor with its name.
    public init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Whether this is a listening Unix stream socket.
    public var isListeningUnixStream: Bool {
        // SOCK_STREAM is 1 on every Linux; glibc's header has it as an enumeration of another type.
        sd_is_socket_unix(descriptor, 1, 1, nil, 0) > 0
    }
}
