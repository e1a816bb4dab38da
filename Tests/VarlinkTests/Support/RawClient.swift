import Glibc
import Varlink

/// A client that sends bytes as they are given.
final class RawClient {
    struct Failure: Error {
        var operation: String
        var code: Int32
    }

    let descriptor: Int32
    private var received: [UInt8] = []

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Failure(operation: "connect", code: errno) }
        // Only so that a failing test ends.
        var time = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends bytes; false if the server has closed.
    @discardableResult
    func send(bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Sends messages, each with its NUL.
    @discardableResult
    func send(_ messages: String...) -> Bool {
        send(bytes: messages.flatMap { Array($0.utf8) + [0] })
    }

    func endInput() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// The text of the next message; nil once the server has closed.
    func receive() throws -> String? {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        var searched = 0
        while true {
            let from = searched
            let hit: Int? = received.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress, let found = memchr(base + from, 0, bytes.count - from) else {
                    return nil
                }
                return UnsafeRawPointer(found) - base
            }
            searched = received.count
            if let end = hit {
                let text = String(decoding: received[..<end], as: UTF8.self)
                received.removeSubrange(...end)
                return text
            }
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count == 0 || (count < 0 && errno == ECONNRESET) { return nil }
            guard count > 0 else { throw Failure(operation: "recv", code: errno) }
            received += chunk[..<count]
        }
    }

    deinit {
        close(descriptor)
    }
}
