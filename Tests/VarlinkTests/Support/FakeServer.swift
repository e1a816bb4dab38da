import Dispatch
import Glibc

/// A server that answers the first message of the first client with fixed bytes, and closes.
final class FakeServer: Sendable {
    let folder: TemporaryFolder
    let path: String

    init(answering bytes: String) throws {
        folder = try TemporaryFolder()
        path = folder.file("s")
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0, listen(descriptor, 1) == 0 else {
            throw RawClient.Failure(operation: "listen", code: errno)
        }
        DispatchQueue.global().async {
            let client = accept(descriptor, nil, nil)
            close(descriptor)
            var byte: UInt8 = 1
            while byte != 0, recv(client, &byte, 1, 0) == 1 {}
            let answer = Array(bytes.utf8)
            _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
            close(client)
        }
    }
}
