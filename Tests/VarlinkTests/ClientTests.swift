import Glibc
import Testing
import Varlink

@Suite("Client")
struct ClientTests {
    @Test("Calls, errors, streams and oneway calls on one connection")
    func allKinds() throws {
        let server = try TestServer()
        let client = try Client("unix:" + server.path, timeout: .seconds(20))
        #expect(try client.call("org.example.test.Add", ["a": 2, "b": 3]) == ["sum": 5])
        #expect(
            throws: ClientError.remote(
                error: "org.varlink.service.InvalidParameter", parameters: ["parameter": "a"])
        ) {
            try client.call("org.example.test.Add")
        }
        let stream = try client.stream("org.example.test.Count", ["to": 3])
        #expect(throws: ClientError.notReady) { try client.call("org.example.test.Add", ["a": 1]) }
        #expect(try stream.next() == ["n": 1])
        #expect(try stream.next() == ["n": 2])
        #expect(try stream.next() == ["n": 3])
        #expect(try stream.next() == nil)
        try client.oneway("org.example.test.Echo", ["text": "quiet"])
        #expect(try server.echoed.next() == "quiet")
        #expect(try client.call("org.example.test.Add", ["a": 1]) == ["sum": 1])
    }

    @Test("A stream's error ends the stream and leaves the connection good")
    func streamError() throws {
        let server = try TestServer()
        let client = try Client(server.path, timeout: .seconds(20))
        let stream = try client.stream("org.example.test.Hold", timeout: .seconds(20))
        let call = try server.held.next()
        call.send(["text": "a"])
        call.fail("org.example.test.Sad", ["why": "x"])
        #expect(try stream.next() == ["text": "a"])
        #expect(throws: ClientError.remote(error: "org.example.test.Sad", parameters: ["why": "x"])) {
            try stream.next()
        }
        #expect(try stream.next() == nil)
        #expect(try client.call("org.example.test.Add", ["a": 1]) == ["sum": 1])
    }

    @Test("A body that has seen enough ends the stream by closing")
    func streamBody() throws {
        let server = try TestServer()
        let client = try Client(server.path, timeout: .seconds(20))
        var seen: [Int] = []
        try client.stream("org.example.test.Count", ["to": 3]) { reply in
            seen.append(reply["n"]?.intValue ?? 0)
            return true
        }
        #expect(seen == [1, 2, 3])
        try client.stream("org.example.test.Count", ["to": 3]) { _ in false }
        #expect(try server.closed.next() == .closedByClient)
        #expect(throws: ClientError.notReady) { try client.call("org.example.test.Add", ["a": 1]) }
    }

    @Test("Where nobody listens, the error says why")
    func notReachable() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("none")
        #expect(throws: ClientError.notReachable(path: path, errno: ENOENT)) { try Client(path) }
        let server = try TestServer()
        let away = server.path + ".away"
        #expect(rename(server.path, away) == 0)
        server.server.stop(within: .zero)
        server.server.waitUntilStopped()
        #expect(throws: ClientError.notReachable(path: away, errno: ECONNREFUSED)) { try Client("unix:" + away) }
    }

    @Test(
        "Addresses of other kinds are refused",
        arguments: ["", "name.sock", "tcp:127.0.0.1:1", "exec:/bin/true", "unix:", "unix:@", "@name", "@na/me"])
    func badAddresses(address: String) throws {
        #expect(throws: ClientError.badAddress(address)) { try Client(address) }
    }

    @Test("A path need not begin with a slash or a dot")
    func relativePaths() throws {
        #expect(try ClientAddress("run/x.sock").path == "run/x.sock")
        #expect(try ClientAddress("../x.sock").path == "../x.sock")
        #expect(try ClientAddress("unix:name").path == "name")
    }

    @Test("A path that no socket's address holds is refused with its length and the limit")
    func longPaths() throws {
        let longest = "/" + String(repeating: "x", count: 106)
        #expect(try ClientAddress(longest).path == longest)
        #expect(throws: ClientError.pathTooLong(longest + "x", limit: 107)) { try Client("unix:" + longest + "x") }
        #expect(
            "\(ClientError.pathTooLong(longest + "x", limit: 107))".contains("108 bytes, and Linux takes at most 107"))
        #expect("\(ListenerError.badPath(longest + "x"))".contains("108 bytes, and Linux takes at most 107"))
    }

    @Test("A client whose message the server takes no more of hears why")
    func refusedMessage() throws {
        var limits = Limits()
        limits.messageBytes = 1000
        let server = try TestServer(limits)
        let client = try Client(server.path, timeout: .seconds(20))
        let text = JSON.string(String(repeating: "x", count: 5_000_000))
        #expect(
            throws: ClientError.remote(
                error: "org.varlink.service.InvalidParameter", parameters: ["parameter": "message"])
        ) {
            try client.call("org.example.test.Echo", ["text": text])
        }
    }

    @Test("Properties behind a semicolon are ignored")
    func addressProperties() throws {
        #expect(try ClientAddress("unix:/run/x;mode=0660").path == "/run/x")
        #expect(try ClientAddress("unix:@x").path == "@x")
        #expect(try ClientAddress("./a;b").path == "./a;b")
    }

    @Test("A server that does not answer runs into the timeout")
    func timeout() throws {
        let server = try TestServer()
        let client = try Client(server.path, timeout: .milliseconds(30))
        #expect(throws: ClientError.timeout) { try client.call("org.example.test.Hold") }
        #expect(throws: ClientError.notReady) { try client.call("org.example.test.Add", ["a": 1]) }
    }

    @Test(
        "A server that breaks the protocol is an error, never a crash",
        arguments: [
            ("nonsense\0", .protocolViolation(.notJSON(JSONError(.unexpectedByte, at: 1)))),
            ("[]\0", .protocolViolation(.notAnObject)), ("{\"x\":1}\0", .protocolViolation(.unknownKey("x"))),
            ("{\"continues\":true}\0", .unexpectedContinuation), ("{\"parameters\":{}", .closed), ("", .closed),
        ] as [(String, ClientError)])
    func brokenServers(answer: String, error: ClientError) throws {
        let server = try FakeServer(answering: answer)
        let client = try Client(server.path, timeout: .seconds(20))
        #expect(throws: error) { try client.call("a.b.C") }
    }

    @Test("A reply longer than allowed is refused")
    func longReply() throws {
        let server = try TestServer()
        let client = try Client(server.path, timeout: .seconds(20), maximumMessageBytes: 1000)
        #expect(throws: ClientError.protocolViolation(.tooLong(limit: 1000))) {
            try client.call("org.example.test.Big", ["bytes": 5000])
        }
    }
}
