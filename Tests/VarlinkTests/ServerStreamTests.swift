import Dispatch
import Testing
import Varlink

@Suite("Server: streams")
struct ServerStreamTests {
    private let hold = #"{"method":"org.example.test.Hold","more":true}"#

    @Test("All replies but the last continue")
    func continues() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(#"{"method":"org.example.test.Count","parameters":{"to":3},"more":true}"#)
        #expect(try client.receive() == #"{"parameters":{"n":1},"continues":true}"#)
        #expect(try client.receive() == #"{"parameters":{"n":2},"continues":true}"#)
        #expect(try client.receive() == #"{"parameters":{"n":3}}"#)
    }

    @Test("A call without `more` never gets many replies")
    func expectedMore() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(#"{"method":"org.example.test.Count","parameters":{"to":3}}"#)
        #expect(try client.receive() == #"{"error":"org.varlink.service.ExpectedMore"}"#)
        client.send(#"{"method":"org.example.test.Count","parameters":{"to":1}}"#)
        #expect(try client.receive() == #"{"parameters":{"n":1}}"#)
    }

    @Test("A client that does not read its stream is closed, its publisher told, and others are served meanwhile")
    func slowClient() throws {
        var limits = Limits()
        limits.queuedBytes = 64 << 10
        let server = try TestServer(limits)
        let slow = try server.client()
        let other = try Client(server.path)
        slow.send(hold)
        let call = try server.held.next()
        let reasons = Inbox<CloseReason>()
        call.onClose { reasons.put($0) }
        let text = JSON.string(String(repeating: "x", count: 1000))
        var sent = 0
        while sent < 100_000, call.send(["text": text]) {
            sent += 1
            if sent % 100 == 0 {
                #expect(try other.call("org.example.test.Add", ["a": JSON(sent), "b": 1]) == ["sum": JSON(sent + 1)])
            }
        }
        #expect(sent < 100_000)
        #expect(try reasons.next() == .tooSlow)
        #expect(try server.closed.next() == .tooSlow)
        #expect(!call.isOpen)
        #expect(server.server.statistics.closedSlow == 1)
        #expect(try other.call("org.example.test.Add", ["a": 1]) == ["sum": 1])
    }

    @Test("A client that reads its stream gets far more than may be queued")
    func fastClient() throws {
        var limits = Limits()
        limits.queuedBytes = 64 << 10
        let server = try TestServer(limits)
        let client = try server.client()
        client.send(hold)
        let call = try server.held.next()
        let text = JSON.string(String(repeating: "x", count: 10_000))
        for _ in 0..<200 {
            #expect(call.send(["text": text]))
            #expect(try client.receive()?.utf8.count == 10_000 + 43)
        }
    }

    @Test("A producer that waits for the client loses nothing, however slowly the client reads")
    func waitingProducer() async throws {
        var limits = Limits()
        limits.queuedBytes = 16 << 10
        let server = try TestServer(limits)
        let client = try server.client()
        client.send(hold)
        let call = try server.held.next()
        let text = JSON.string(String(repeating: "x", count: 5000))
        let producer = Task {
            for _ in 0..<300 {
                guard await call.sendWhenWritable(["text": text]) else { return false }
            }
            return call.reply(["text": "end"])
        }
        let reader = UncheckedClient(client)
        let counted = await withCheckedContinuation { continuation in
            // Off the cooperative threads, which the producer needs.
            DispatchQueue.global().async {
                var count = 0
                while let text = try? reader.client.receive(), text.hasSuffix(#""continues":true}"#) { count += 1 }
                continuation.resume(returning: count)
            }
        }
        #expect(counted == 300)
        #expect(await producer.value)
    }

    @Test("A client that reads nothing of a reply is closed after the stall time")
    func stalled() throws {
        var limits = Limits()
        limits.stallTime = .milliseconds(50)
        let server = try TestServer(limits)
        let client = try server.client()
        client.send(#"{"method":"org.example.test.Big","parameters":{"bytes":4000000}}"#)
        #expect(try server.closed.next() == .stalled)
    }

    @Test("Single replies may be larger than what may be queued, also when pipelined")
    func bigReplies() throws {
        var limits = Limits()
        limits.queuedBytes = 64 << 10
        let server = try TestServer(limits)
        let client = try server.client()
        let call = #"{"method":"org.example.test.Big","parameters":{"bytes":3000000}}"#
        client.send(call, call, call)
        for _ in 0..<3 { #expect(try client.receive()?.utf8.count == 3_000_000 + 26) }
    }

    @Test("A client that goes away ends its stream")
    func clientGone() throws {
        let server = try TestServer()
        let reasons = Inbox<CloseReason>()
        let call: IncomingCall
        do {
            let client = try server.client()
            client.send(hold)
            call = try server.held.next()
            call.onClose { reasons.put($0) }
            #expect(call.send(["text": "a"]))
            #expect(try client.receive() == #"{"parameters":{"text":"a"},"continues":true}"#)
        }
        #expect(try reasons.next() == .closedByClient)
        #expect(!call.isOpen)
        #expect(!call.send(["text": "b"]))
        #expect(!call.reply(["text": "c"]))
        // Late registration is told at once.
        let gone = try TestServer()
        let late: IncomingCall
        do {
            let client = try gone.client()
            client.send(hold)
            late = try gone.held.next()
        }
        _ = try gone.closed.next()
        late.onClose { reasons.put($0) }
        #expect(try reasons.next() == .closedByClient)
    }

    @Test("Replies of many threads reach the client in the order in which they were taken")
    func manyThreads() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(hold)
        let call = try server.held.next()
        let order = Inbox<Int>()
        let lock = DispatchQueue(label: "order")
        DispatchQueue.concurrentPerform(iterations: 200) { number in
            lock.sync {
                call.send(["text": .string("\(number)")])
                order.put(number)
            }
        }
        call.reply(["text": "end"])
        for _ in 0..<200 {
            #expect(try client.receive() == #"{"parameters":{"text":"\#(try order.next())"},"continues":true}"#)
        }
        #expect(try client.receive() == #"{"parameters":{"text":"end"}}"#)
    }
}

/// Hands a client to another thread. Sound because the test that does so does not touch it any more.
private struct UncheckedClient: @unchecked Sendable {
    let client: RawClient

    init(_ client: RawClient) {
        self.client = client
    }
}
