import Foundation
import Testing
import Varlink

@Suite("Listeners")
struct ListenerTests {
    private func mode(of path: String) -> UInt32? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    @Test("The socket file has the mode that was asked for, and goes at the end")
    func life() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s")
        let listener = try Listener(path: path, mode: 0o662)
        #expect(mode(of: path) == 0o662)
        listener.stop()
        #expect(mode(of: path) == nil)
    }

    @Test("A socket file on which nobody answers is replaced")
    func stale() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s")
        // As a process that was killed leaves it behind.
        close(try boundSocket(path))
        #expect(mode(of: path) != nil)
        let listener = try Listener(path: path)
        #expect(throws: Never.self) { try RawClient(path) }
        listener.stop()
    }

    @Test("A socket file on which somebody answers is left alone")
    func live() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s")
        let first = try Listener(path: path)
        #expect(throws: ListenerError.inUse(path: path)) { try Listener(path: path) }
        #expect(throws: Never.self) { try RawClient(path) }
        first.stop()
    }

    @Test("A file that is no socket is left alone")
    func notASocket() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: ListenerError.notASocket(path: path)) { try Listener(path: path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("precious".utf8))
    }

    @Test("A socket file that somebody else has put there meanwhile is not removed")
    func replaced() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s")
        let first = try Listener(path: path)
        try FileManager.default.moveItem(atPath: path, toPath: folder.file("away"))
        let second = try Listener(path: path)
        first.stop()
        #expect(throws: Never.self) { try RawClient(path) }
        second.stop()
    }

    @Test("Paths that no address holds, and folders that are not there, are errors")
    func badPaths() throws {
        let long = "/tmp/" + String(repeating: "x", count: 103)
        #expect(throws: ListenerError.badPath(long)) { try Listener(path: long) }
        #expect(throws: ListenerError.badPath("")) { try Listener(path: "") }
        let folder = try TemporaryFolder()
        let path = folder.file("none/s")
        #expect(throws: ListenerError.system(path: path, SystemError("bind", code: ENOENT))) {
            try Listener(path: path)
        }
    }

    @Test("An inherited descriptor is served, and anything else refused")
    func inherited() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s")
        let descriptor = try boundSocket(path)
        #expect(throws: ListenerError.notListening(descriptor: descriptor)) { try Listener(inherited: descriptor) }
        #expect(listen(descriptor, 5) == 0)
        let listener = try Listener(inherited: descriptor)
        let service = Service(vendor: "", product: "P", version: "", url: "", interfaces: [])
        let server = try Server(service: service, listeners: [listener]) { $0.reply() }
        #expect(try Client(path).call("org.varlink.service.GetInfo")["product"] == "P")
        server.stop(within: .zero)
        server.waitUntilStopped()
        #expect(mode(of: path) != nil)
        #expect(throws: ListenerError.notListening(descriptor: -1)) { try Listener(inherited: -1) }
    }

    @Test("Abstract names work without a file")
    func abstract() throws {
        let name = "@varlink-test-\(UUID().uuidString)"
        let service = Service(vendor: "", product: "P", version: "", url: "", interfaces: [])
        let server = try Server(service: service, listeners: [Listener(path: name)]) { $0.reply() }
        #expect(try Client("unix:" + name).call("org.varlink.service.GetInfo")["product"] == "P")
        server.stop(within: .zero)
        server.waitUntilStopped()
    }
}

/// A socket that is bound to a path, but does not listen.
private func boundSocket(_ path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    guard result == 0 else { throw RawClient.Failure(operation: "bind", code: errno) }
    return descriptor
}
