import Foundation

/// A service manager's end of sd_notify: a datagram socket that a daemon is told of by `NOTIFY_SOCKET`.
public final class NotifySocket: Sendable {
    /// The socket's path: the value for the daemon's `NOTIFY_SOCKET`.
    public let path: String
    private let descriptor: Int32

    /// Makes the socket and binds it to the path.
    /// - Throws: `Failure` where the system refuses, or the path is too long for a socket.
    public init(path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard descriptor >= 0, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Failure(code: errno)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0 else { throw Failure(code: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// A system call that failed while the socket was made.
    public struct Failure: Error {
        /// The system's error number (`errno`).
        public var code: Int32
    }

    /// Waits for the next message; nil after the time, in seconds.
    public func receive(within seconds: Int) -> [String: String]? {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var buffer = [UInt8](repeating: 0, count: 8_192)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { return nil }
        var fields: [String: String] = [:]
        for line in String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            fields[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        return fields
    }

    /// Waits until a message has the field with that value; false after the time, in seconds, without any message.
    public func wait(for name: String, _ value: String, within seconds: Int = 60) -> Bool {
        while let fields = receive(within: seconds) {
            if fields[name] == value { return true }
        }
        return false
    }
}
