import Glibc
import Systemd
import Testing

@Suite("Picking an inherited socket")
struct SocketActivationTests {
    private func listening() -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        // An address of two bytes lets the kernel choose an abstract name.
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = bind(descriptor, $0, 2) }
        }
        listen(descriptor, 1)
        return descriptor
    }

    @Test("The name decides, then the first that listens on a Unix stream")
    func pick() {
        let first = listening()
        let second = listening()
        let datagram = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let idle = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { for descriptor in [first, second, datagram, idle] { close(descriptor) } }
        let sockets = [
            InheritedSocket(descriptor: datagram, name: "varlink"), InheritedSocket(descriptor: idle, name: "varlink"),
            InheritedSocket(descriptor: first, name: "other"), InheritedSocket(descriptor: second, name: "varlink"),
        ]
        #expect(SocketActivation.pick(named: "varlink", from: sockets)?.descriptor == second)
        #expect(SocketActivation.pick(named: "none", from: sockets)?.descriptor == first)
        #expect(SocketActivation.pick(named: "varlink", from: Array(sockets.prefix(2))) == nil)
        #expect(SocketActivation.pick(named: "varlink", from: []) == nil)
    }
}
