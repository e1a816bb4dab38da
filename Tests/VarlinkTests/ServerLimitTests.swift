import Glibc
import Testing
import Varlink

@Suite("Server: limits and hostile clients")
struct ServerLimitTests {
    private let echo = #"{"method":"org.example.test.Echo","parameters":{"text":"a"}}"#

    private func invalid(_ parameter: String) -> String {
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"\#(parameter)"}}"#
    }

    @Test(
        "What is no message is answered with an error, then the connection is closed, and others are served",
        arguments: [
            ("", "message"), ("[]", "message"), ("nonsense", "message"), (#"{"method":1}"#, "method"),
            (#"{"method":"a.b.C","more":true,"oneway":true}"#, "more"), (#"{"method":"a.b.C","extra":true}"#, "extra"),
            (#"{"method":"a.b.C","method":"a.b.C"}"#, "message"), (#"{"parameters":{}}"#, "method"),
            (#"{"method":"a.b.C","parameters":[]}"#, "parameters"),
        ])
    func malformed(text: String, parameter: String) throws {
        let server = try TestServer()
        let other = try server.client()
        let client = try server.client()
        client.send(text)
        #expect(try client.receive() == invalid(parameter))
        #expect(try client.receive() == nil)
        guard case .malformed = try server.closed.next() else {
            Issue.record("closed for another reason")
            return
        }
        other.send(echo)
        #expect(try other.receive() == #"{"parameters":{"text":"a"}}"#)
        #expect(server.server.statistics.closedMalformed == 1)
    }

    @Test("Calls before a malformed message are answered first")
    func answeredBefore() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(echo, #"{"method":"org.example.test.Hold"}"#, "nonsense", echo)
        #expect(try client.receive() == #"{"parameters":{"text":"a"}}"#)
        try server.held.next().reply(["text": "b"])
        #expect(try client.receive() == #"{"parameters":{"text":"b"}}"#)
        #expect(try client.receive() == invalid("message"))
        #expect(try client.receive() == nil)
    }

    @Test("A message in pieces of one byte is answered as a whole one is, and what is wrong in it too")
    func oneByteAtATime() throws {
        let server = try TestServer()
        let client = try server.client()
        for byte in Array(echo.utf8) + [0] { client.send(bytes: [byte]) }
        #expect(try client.receive() == #"{"parameters":{"text":"a"}}"#)
        for byte in Array("[1]".utf8) + [0] { client.send(bytes: [byte]) }
        #expect(try client.receive() == invalid("message"))
        #expect(try client.receive() == nil)
    }

    @Test("A client that has closed its side for writing still gets its answers, and the error of a message cut short")
    func halfClosed() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(bytes: Array(echo.utf8) + [0] + Array(echo.utf8) + [0] + Array(#"{"method":"org"#.utf8))
        client.endInput()
        #expect(try client.receive() == #"{"parameters":{"text":"a"}}"#)
        #expect(try client.receive() == #"{"parameters":{"text":"a"}}"#)
        #expect(try client.receive() == invalid("message"))
        #expect(try client.receive() == nil)
        #expect(try server.closed.next() == .malformed(.incomplete))
    }

    @Test("The server says what is wrong in its own words")
    func objection() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("socket")
        let server = try Server(
            service: Service(vendor: "", product: "", version: "", url: "", interfaces: []),
            listeners: [Listener(path: path)],
            objection: { Reply(error: "org.example.test.Bad", ["why": .string("\($0)")]) }, handler: { $0.reply() })
        let client = try RawClient(path)
        client.send(#"{"method":"a.b.C","extra":true}"#)
        #expect(
            try client.receive() == #"{"error":"org.example.test.Bad","parameters":{"why":"unknown key `extra`"}}"#)
        #expect(try client.receive() == nil)
        server.stop(within: .zero)
        server.waitUntilStopped()
    }

    @Test("Nonsense during a stream ends it, and is the last that the client hears")
    func nonsenseInStream() throws {
        let server = try TestServer()
        let (client, call) = try server.holding(#","more":true"#)
        client.send("nonsense")
        #expect(try client.receive() == invalid("message"))
        #expect(try client.receive() == nil)
        #expect(!call.isOpen)
        #expect(!call.send(["text": "too late"]))
    }

    @Test("Invalid UTF-8 closes the connection")
    func invalidUTF8() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(bytes: Array(#"{"method":"a.b."#.utf8) + [0xFF] + Array(#""}"#.utf8) + [0])
        #expect(try client.receive() == invalid("message"))
        #expect(try client.receive() == nil)
    }

    @Test("A message may be as long as the limit, and one byte more closes")
    func messageLength() throws {
        var limits = Limits()
        limits.messageBytes = 1000
        let server = try TestServer(limits)
        let client = try server.client()
        client.send(echo + String(repeating: " ", count: 1000 - echo.utf8.count))
        #expect(try client.receive() == #"{"parameters":{"text":"a"}}"#)
        client.send(echo + String(repeating: " ", count: 1001 - echo.utf8.count))
        #expect(try client.receive() == invalid("message"))
        #expect(try client.receive() == nil)
        #expect(try server.closed.next() == .malformed(.tooLong(limit: 1000)))
    }

    @Test("A message without an end closes once it is too long")
    func endless() throws {
        let server = try TestServer()
        let client = try server.client()
        while client.send(bytes: [UInt8](repeating: 0x20, count: 65_536)) {}
        #expect(try client.receive() == invalid("message"))
        #expect(try client.receive() == nil)
        #expect(try server.closed.next() == .malformed(.tooLong(limit: 1 << 20)))
    }

    @Test("A message nested too deeply closes")
    func depth() throws {
        var limits = Limits()
        limits.depth = 3
        let server = try TestServer(limits)
        let client = try server.client()
        client.send(#"{"method":"org.example.test.Echo","parameters":{"text":[[]]}}"#)
        #expect(try client.receive() == invalid("message"))
        #expect(try client.receive() == nil)
    }

    @Test("A message that is not completed in time closes, and a silent connection stays")
    func messageTime() throws {
        var limits = Limits()
        limits.messageTime = .milliseconds(30)
        let server = try TestServer(limits)
        let silent = try server.client()
        let client = try server.client()
        client.send(echo)
        #expect(try client.receive() == #"{"parameters":{"text":"a"}}"#)
        client.send(bytes: Array(#"{"meth"#.utf8))
        #expect(try client.receive() == invalid("message"))
        #expect(try client.receive() == nil)
        #expect(try server.closed.next() == .messageTimeout)
        silent.send(echo)
        #expect(try silent.receive() == #"{"parameters":{"text":"a"}}"#)
    }

    @Test("A connection without a call is closed after the idle time, a stream is not")
    func idle() throws {
        var limits = Limits()
        limits.idleTime = .milliseconds(30)
        let server = try TestServer(limits)
        let stream = try server.client()
        stream.send(#"{"method":"org.example.test.Hold","more":true}"#)
        let call = try server.held.next()
        let client = try server.client()
        #expect(try client.receive() == nil)
        #expect(try server.closed.next() == .idle)
        #expect(call.send(["text": "still there"]))
        #expect(try stream.receive() != nil)
    }

    @Test("Clients beyond the limit are turned away, and let in again when there is room")
    func clients() throws {
        var limits = Limits()
        limits.clientsPerUser = 2
        let server = try TestServer(limits)
        let first = try server.client()
        do {
            let second = try server.client()
            second.send(echo)
            #expect(try second.receive() != nil)
            let third = try server.client()
            #expect(try third.receive() == nil)
            #expect(try server.refused.next().uid == geteuid())
        }
        #expect(try server.closed.next() == .closedByClient)
        let fourth = try server.client()
        fourth.send(echo)
        #expect(try fourth.receive() != nil)
        first.send(echo)
        #expect(try first.receive() != nil)
        let statistics = server.server.statistics
        #expect(statistics.clients == 2)
        #expect(statistics.accepted == 3)
        #expect(statistics.refused == 1)
    }

    @Test("With no descriptor left, new clients are turned away and those that are there served")
    func noDescriptors() async {
        await #expect(processExitsWith: .success) {
            let echo = #"{"method":"org.example.test.Echo","parameters":{"text":"a"}}"#
            let server = try TestServer()
            let first = try server.client()
            first.send(echo)
            #expect(try first.receive() != nil)
            var saved = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &saved)
            // One descriptor is left: the second client's own.
            let next = open("/dev/null", O_RDONLY)
            close(next)
            var limit = saved
            limit.rlim_cur = rlim_t(next) + 1
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let second = try server.client()
            #expect(try second.receive() == nil)
            first.send(echo)
            #expect(try first.receive() != nil)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &saved)
            let third = try server.client()
            third.send(echo)
            #expect(try third.receive() != nil)
        }
    }
}
