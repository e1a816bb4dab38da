import CEpoll
import Glibc

/// The address of a Unix socket.
struct UnixAddress {
    /// The most bytes that a path may have.
    static let maximumPathBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    private var address = sockaddr_un()
    private let length: socklen_t

    /// A path, or an abstract name after `@`; nil where it is too long, empty or holds a NUL.
    init?(_ name: String) {
        let bytes = Array(name.utf8)
        guard !bytes.isEmpty, bytes.count <= Self.maximumPathBytes, !bytes.contains(0) else { return nil }
        let isAbstract = bytes[0] == UInt8(ascii: "@")
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        if isAbstract { address.sun_path.0 = 0 }
        // An abstract name is as long as the length says; a path ends with a NUL.
        let header = MemoryLayout.size(ofValue: address.sun_family)
        length = socklen_t(header + bytes.count + (isAbstract ? 0 : 1))
    }

    /// Passes the address to a system call.
    func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// A new stream socket, closed on exec.
    static func makeSocket(isBlocking: Bool) throws(SystemError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (isBlocking ? 0 : SOCK_NONBLOCK.rawValue))
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw SystemError("socket", code: errno) }
        return descriptor
    }
}
