import Glibc

/// A connected socket that is read and written with deadlines.
struct ClientSocket: ~Copyable {
    private let descriptor: Int32
    private var input: MessageBuffer
    private var chunk = [UInt8](repeating: 0, count: 1 << 16)

    private init(_ descriptor: Int32, maximumMessageBytes: Int) {
        self.descriptor = descriptor
        input = MessageBuffer(maximumMessageBytes: maximumMessageBytes)
    }

    /// Connects.
    static func connected(
        to address: ClientAddress, timeout: Duration?, maximumMessageBytes: Int
    ) throws(ClientError) -> ClientSocket {
        guard let unix = UnixAddress(address.path) else { throw .badAddress(address.path) }
        let descriptor: Int32
        do { descriptor = try UnixAddress.makeSocket(isBlocking: true) } catch { throw .system(error) }
        let socket = ClientSocket(descriptor, maximumMessageBytes: maximumMessageBytes)
        if let timeout {
            // connect waits for room in the server's queue; this is what bounds the wait.
            let (seconds, attoseconds) = timeout.components
            var time = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        while unix.withPointer({ connect(descriptor, $0, $1) }) != 0 {
            let code = errno
            if code == EINTR { continue }
            throw code == EAGAIN ? .timeout : .notReachable(path: address.path, errno: code)
        }
        return socket
    }

    deinit {
        close(descriptor)
    }

    /// Sends all of a message.
    func send(_ message: [UInt8], by deadline: MonotonicTime) throws(ClientError) {
        var offset = 0
        while offset < message.count {
            let count = message.withUnsafeBytes { bytes in
                Glibc.send(
                    descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count >= 0 {
                offset += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: try wait(for: POLLOUT, by: deadline)
            case EPIPE, ECONNRESET: throw .closed
            default: throw .system(SystemError("send", code: errno))
            }
        }
    }

    /// Receives the next reply.
    mutating func receive(by deadline: MonotonicTime, maximumDepth: Int) throws(ClientError) -> Reply {
        while true {
            do {
                let reply = try input.next { (text) throws(MessageError) in
                    try Reply(parsing: text, maximumDepth: maximumDepth)
                }
                if let reply { return reply }
            } catch {
                throw .protocolViolation(error)
            }
            let count = recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                chunk.withUnsafeBufferPointer { input.append(UnsafeBufferPointer(rebasing: $0[..<count])) }
                continue
            }
            if count == 0 { throw .closed }
            switch errno {
            case EINTR: continue
            case EAGAIN: try wait(for: POLLIN, by: deadline)
            case ECONNRESET: throw .closed
            default: throw .system(SystemError("recv", code: errno))
            }
        }
    }

    private func wait(for event: Int32, by deadline: MonotonicTime) throws(ClientError) {
        while true {
            var poller = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            let count = poll(&poller, 1, deadline.pollTimeout(from: .now))
            if count > 0 { return }
            if count == 0, deadline <= .now { throw .timeout }
            if count < 0, errno != EINTR { throw .system(SystemError("poll", code: errno)) }
        }
    }
}
