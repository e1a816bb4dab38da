import Foundation

/// A Unix datagram socket that never blocks.
final class DatagramSocket {
    let descriptor: Int32

    /// What became of a datagram.
    enum Outcome {
        case sent
        /// The receiver has others that it has not read: it will look anyway.
        case full
        /// The socket's process is gone.
        case nobody
        case failed
    }

    init?() {
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_UNIX, kind, 0)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    func bind(to name: String, in directory: NoticeFolder.Directory) -> Bool {
        guard var address = directory.address(of: name) else { return false }
        return withSockaddr(&address) { Glibc.bind(descriptor, $0, $1) } == 0
    }

    func send(_ bytes: [UInt8], to name: String, in directory: NoticeFolder.Directory) -> Outcome {
        guard var address = directory.address(of: name) else { return .failed }
        let sent = withSockaddr(&address) { target, length in
            sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), target, length)
        }
        if sent >= 0 { return .sent }
        switch errno {
        case EAGAIN, ENOBUFS: return .full
        case ECONNREFUSED, ENOENT, ENOTSOCK: return .nobody
        default: return .failed
        }
    }

    /// Reads all that has come.
    /// - Returns: how many datagrams there were.
    func drain() -> Int {
        var count = 0
        var buffer: UInt64 = 0
        while recv(descriptor, &buffer, MemoryLayout.size(ofValue: buffer), 0) >= 0 { count += 1 }
        return count
    }

    private func withSockaddr<T>(
        _ address: inout sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> T
    ) -> T {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
