import Glibc
import Testing
import Varlink

@Suite("Server: calls")
struct ServerCallTests {
    private func echo(_ text: String, _ more: String = "") -> String {
        #"{"method":"org.example.test.Echo","parameters":{"text":"\#(text)"}\#(more)}"#
    }

    @Test("A call gets its reply; an error has its name and parameters")
    func calls() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(#"{"method":"org.example.test.Add","parameters":{"a":20,"b":null},"more":false}"#)
        #expect(try client.receive() == #"{"parameters":{"sum":20}}"#)
        client.send(#"{"method":"org.example.test.Hold"}"#)
        try server.held.next().fail("org.example.test.Sad", ["why": "rain"])
        #expect(try client.receive() == #"{"error":"org.example.test.Sad","parameters":{"why":"rain"}}"#)
        client.send(#"{"method":"org.example.test.Hold"}"#)
        try server.held.next().fail(.permissionDenied)
        #expect(try client.receive() == #"{"error":"org.varlink.service.PermissionDenied"}"#)
    }

    @Test(
        "Calls that no handler sees are answered with the standard errors",
        arguments: [
            ("org.other.Method", "", "InterfaceNotFound", "interface", "org.other"),
            ("org.example.test.None", "", "MethodNotFound", "method", "org.example.test.None"),
            ("org.example.test.Sad", "", "MethodNotFound", "method", "org.example.test.Sad"),
            ("plain", "", "MethodNotFound", "method", "plain"),
            ("org.varlink.service.None", "", "MethodNotFound", "method", "org.varlink.service.None"),
            ("org.example.test.Echo", "", "InvalidParameter", "parameter", "text"),
            ("org.example.test.Echo", #""text":1"#, "InvalidParameter", "parameter", "text"),
            ("org.example.test.Echo", #""text":"a","b":1"#, "InvalidParameter", "parameter", "b"),
            ("org.example.test.Add", #""a":1.5"#, "InvalidParameter", "parameter", "a"),
            (
                "org.example.test.Paint", #""items":[{"name":"x","colour":"blue"}]"#, "InvalidParameter", "parameter",
                "items[0].colour"
            ),
            (
                "org.varlink.service.GetInterfaceDescription", #""interface":"a.b""#, "InterfaceNotFound", "interface",
                "a.b"
            ),
            ("org.varlink.service.GetInfo", #""x":1"#, "InvalidParameter", "parameter", "x"),
        ])
    func standardErrors(method: String, parameters: String, error: String, key: String, value: String) throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(#"{"method":"\#(method)","parameters":{\#(parameters)}}"#)
        #expect(
            try client.receive()
                == #"{"error":"org.varlink.service.\#(error)","parameters":{"\#(key)":"\#(value)"}}"#)
        client.send(echo("on"))
        #expect(try client.receive() == #"{"parameters":{"text":"on"}}"#)
    }

    @Test("GetInfo and GetInterfaceDescription tell what the service is")
    func introspection() throws {
        let server = try TestServer()
        let client = try Client(server.path)
        let info = try client.call("org.varlink.service.GetInfo")
        #expect(
            JSON.object(info).text() == #"{"vendor":"Example","product":"Test","version":"1","#
                + #""url":"https://example.org","interfaces":["org.varlink.service","org.example.test"]}"#)
        let own = try client.call(
            "org.varlink.service.GetInterfaceDescription", ["interface": "org.example.test"])
        #expect(own["description"] == .string(TestServer.text))
        let standard = try client.call(
            "org.varlink.service.GetInterfaceDescription", ["interface": "org.varlink.service"])
        let parsed = try InterfaceDescription(parsing: standard["description"]?.stringValue ?? "")
        #expect(parsed.members.count == 8)
    }

    @Test("A call to upgrade is refused, so that the client does not leave the protocol")
    func upgrade() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(echo("x", #","upgrade":true"#))
        #expect(
            try client.receive()
                == #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"upgrade"}}"#)
    }

    @Test("Pipelined calls are answered in order, one at a time")
    func pipelining() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(#"{"method":"org.example.test.Hold"}"#, echo("after"))
        let call = try server.held.next()
        #expect(server.server.turns(within: .seconds(20)))
        #expect(server.echoed.isEmpty)
        call.reply(["text": "first"])
        #expect(try client.receive() == #"{"parameters":{"text":"first"}}"#)
        #expect(try client.receive() == #"{"parameters":{"text":"after"}}"#)

        client.send(bytes: (0..<200).flatMap { Array(echo("\($0)").utf8) + [0] })
        for number in 0..<200 { #expect(try client.receive() == #"{"parameters":{"text":"\#(number)"}}"#) }
    }

    @Test("While a call is pending, no more than the bound is read ahead")
    func backPressure() throws {
        let server = try TestServer()
        let (client, call) = try server.holding()
        let message = Array(echo(String(repeating: "x", count: 1000)).utf8) + [0]
        var sent = 0
        var isStuck = false
        while !isStuck, sent < 100_000 {
            isStuck = true
            while Glibc.send(client.descriptor, message, message.count, Int32(MSG_DONTWAIT)) == message.count {
                sent += 1
                isStuck = false
            }
            // A message may have been cut off: the test ends here, and with it the connection.
            #expect(server.server.turns(within: .seconds(20)))
        }
        #expect(isStuck)
        #expect(server.server.statistics.calls <= 1 + 16)
        call.reply(["text": ""])
    }

    @Test("Oneway calls get no reply, not even an error, and are carried out in order")
    func oneway() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(
            echo("1", #","oneway":true"#), #"{"method":"org.example.test.None","oneway":true}"#,
            #"{"method":"org.example.test.Echo","oneway":true}"#,
            #"{"method":"org.example.test.Drop","oneway":true}"#, echo("2"))
        #expect(try client.receive() == #"{"parameters":{"text":"2"}}"#)
        #expect(try server.echoed.next() == "1")
        #expect(try server.echoed.next() == "2")
    }

    @Test("Oneway calls are carried out though the client closes at once")
    func onewayAndGone() throws {
        let server = try TestServer()
        let call: IncomingCall
        do {
            let client = try server.client()
            client.send(#"{"method":"org.example.test.Hold"}"#)
            call = try server.held.next()
            client.send(bytes: (0..<40).flatMap { Array(echo("\($0)", #","oneway":true"#).utf8) + [0] })
            client.send(echo("nobody waits for this"))
        }
        #expect(try server.closed.next() == .closedByClient)
        #expect(server.echoed.isEmpty)
        #expect(!call.reply(["text": ""]))
        for number in 0..<40 { #expect(try server.echoed.next() == "\(number)") }
        #expect(server.server.turns(within: .seconds(20)))
        #expect(server.echoed.isEmpty)
    }

    @Test("A client that ends its side for writing still gets its replies")
    func halfClose() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(#"{"method":"org.example.test.Hold"}"#, echo("b"))
        client.endInput()
        try server.held.next().reply(["text": "a"])
        #expect(try client.receive() == #"{"parameters":{"text":"a"}}"#)
        #expect(try client.receive() == #"{"parameters":{"text":"b"}}"#)
        #expect(try client.receive() == nil)
    }

    @Test("A call that its handler lets go without an answer closes the connection")
    func abandoned() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(#"{"method":"org.example.test.Drop"}"#)
        #expect(try client.receive() == nil)
        #expect(try server.closed.next() == .abandoned)
    }

    @Test("Only the first final reply counts")
    func secondReply() throws {
        let server = try TestServer()
        let (client, call) = try server.holding(#","more":true"#)
        #expect(call.reply(["text": "a"]))
        #expect(!call.reply(["text": "b"]))
        #expect(!call.send(["text": "c"]))
        #expect(try client.receive() == #"{"parameters":{"text":"a"}}"#)
        client.send(echo("next"))
        #expect(try client.receive() == #"{"parameters":{"text":"next"}}"#)
    }

    @Test("The peer is who the kernel says")
    func peer() throws {
        let server = try TestServer()
        let (client, call) = try server.holding()
        #expect(call.peer.uid == geteuid())
        #expect(call.peer.gid == getegid())
        #expect(call.peer.pid == getpid())
        #expect(call.peer.isMember(ofGroup: getegid()))
        call.reply(["text": ""])
        #expect(try client.receive() == #"{"parameters":{"text":""}}"#)
    }
}
