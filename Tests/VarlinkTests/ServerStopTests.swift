import Testing
import Varlink

@Suite("Server: stopping")
struct ServerStopTests {
    @Test("A pending call is finished, idle clients are closed, nobody new is taken")
    func pendingCall() throws {
        let server = try TestServer()
        let idle = try server.client()
        let (client, call) = try server.holding()
        client.send(#"{"method":"org.example.test.Hold"}"#)
        server.server.stop(within: .seconds(20))
        #expect(try idle.receive() == nil)
        #expect(throws: RawClient.Failure.self) { try server.client() }
        #expect(call.reply(["text": "done"]))
        #expect(try client.receive() == #"{"parameters":{"text":"done"}}"#)
        #expect(try client.receive() == nil)
        #expect(server.server.waitUntilStopped(within: .seconds(20)))
        #expect(server.held.isEmpty)
        #expect(server.server.statistics.clients == 0)
    }

    @Test("A stream gets the farewell as its last reply")
    func farewell() throws {
        let server = try TestServer()
        let (client, call) = try server.holding(#","parameters":{"text":"x"},"more":true"#)
        call.send(["text": "1"])
        server.server.stop(within: .seconds(20)) { call in
            Reply(error: "org.example.test.Sad", ["why": call.parameters["text"] ?? .null])
        }
        #expect(try client.receive() == #"{"parameters":{"text":"1"},"continues":true}"#)
        #expect(try client.receive() == #"{"error":"org.example.test.Sad","parameters":{"why":"x"}}"#)
        #expect(try client.receive() == nil)
        #expect(server.server.waitUntilStopped(within: .seconds(20)))
        #expect(!call.send(["text": "2"]))
    }

    @Test("A handler that wants to know says the last word itself")
    func onStop() throws {
        let server = try TestServer()
        let (client, call) = try server.holding(#","more":true"#)
        call.send(["text": "1"])
        call.onStop { [weak call] in call?.reply(["text": "token 7"]) }
        server.server.stop(within: .seconds(20)) { _ in Reply(error: "org.example.test.Sad") }
        #expect(try client.receive() == #"{"parameters":{"text":"1"},"continues":true}"#)
        #expect(try client.receive() == #"{"parameters":{"text":"token 7"}}"#)
        #expect(try client.receive() == nil)
    }

    @Test("At the deadline what is left is closed, and its handlers told")
    func deadline() async throws {
        let server = try TestServer()
        let (client, call) = try server.holding()
        let reasons = Inbox<CloseReason>()
        call.onClose { reasons.put($0) }
        server.server.stop(within: .seconds(3600))
        server.server.stop(within: .milliseconds(20))
        #expect(try client.receive() == nil)
        #expect(try reasons.next() == .serverStopped)
        await server.server.stopped()
        #expect(!call.reply(["text": ""]))
    }

    @Test("A client that reads nothing is not waited for until the deadline")
    func stalledClient() throws {
        var limits = Limits()
        limits.farewellTime = .milliseconds(20)
        let server = try TestServer(limits)
        let (client, call) = try server.holding(#","more":true"#)
        // More than the socket takes.
        #expect(call.send(["text": .string(String(repeating: "x", count: 1_000_000))]))
        server.server.stop(within: .seconds(3600)) { _ in Reply(error: "org.example.test.Sad") }
        #expect(server.server.waitUntilStopped(within: .seconds(60)))
        #expect(try server.closed.next() == .stalled)
        withExtendedLifetime(client) {}
    }

    @Test("A reply that is under way when the server stops arrives whole")
    func flushed() throws {
        let server = try TestServer()
        let (client, call) = try server.holding()
        call.reply(["text": .string(String(repeating: "x", count: 5_000_000))])
        server.server.stop(within: .seconds(20))
        #expect(try client.receive()?.utf8.count == 5_000_000 + 26)
        #expect(try client.receive() == nil)
    }

    @Test("A trip through the loop proves that it turns, until it has stopped")
    func ping() throws {
        let server = try TestServer()
        #expect(server.server.turns(within: .seconds(20)))
        server.server.stop(within: .zero)
        #expect(server.server.waitUntilStopped(within: .seconds(20)))
        #expect(!server.server.turns(within: .seconds(20)))
        #expect(!server.server.ping {})
    }
}
