import Testing
import Varlink

@Suite("Envelopes")
struct MessageTests {
    private func call(_ text: String) throws -> Call {
        try Array(text.utf8).withUnsafeBufferPointer { try Call(parsing: $0) }
    }

    private func reply(_ text: String) throws -> Reply {
        try Array(text.utf8).withUnsafeBufferPointer { try Reply(parsing: $0) }
    }

    @Test(
        "Missing, null and empty parameters are the same, and so are false and missing flags",
        arguments: [
            #"{"method":"a.b.C"}"#, #"{"method":"a.b.C","parameters":null}"#, #"{"parameters":{},"method":"a.b.C"}"#,
            #"{"method":"a.b.C","more":false,"oneway":false,"upgrade":false}"#,
        ])
    func plain(text: String) throws {
        let call = try call(text)
        #expect(call == Call("a.b.C"))
        #expect(call.interface == "a.b")
        #expect(call.member == "C")
    }

    @Test(
        "Malformed calls are refused",
        arguments: [
            ("[]", .notAnObject), ("{}", .missingKey("method")),
            (#"{"method":1}"#, .wrongKind(key: "method", kind: "integer")),
            (#"{"method":"a.B","parameters":[]}"#, .wrongKind(key: "parameters", kind: "array")),
            (#"{"method":"a.B","more":1}"#, .wrongKind(key: "more", kind: "integer")),
            (#"{"method":"a.B","oneway":null}"#, .wrongKind(key: "oneway", kind: "null")),
            (#"{"method":"a.B","extra":1}"#, .unknownKey("extra")),
            (#"{"method":"a.B","more":true,"oneway":true}"#, .conflict("more", "oneway")),
            (#"{"method":"a.B","method":"a.C"}"#, .notJSON(JSONError(.duplicateKey, at: 16))),
            (#"{"method":"a.B"} x"#, .notJSON(JSONError(.trailingBytes, at: 17))),
        ] as [(String, MessageError)])
    func malformedCalls(text: String, error: MessageError) {
        #expect(throws: error) { try call(text) }
    }

    @Test("Duplicate keys inside the parameters are allowed, and the last counts")
    func duplicatesInside() throws {
        #expect(try call(#"{"method":"a.B","parameters":{"x":1,"x":2}}"#).parameters == ["x": 2])
    }

    @Test(
        "Malformed replies are refused",
        arguments: [
            (#"{"error":"a.B","continues":true}"#, .conflict("error", "continues")),
            (#"{"result":1}"#, .unknownKey("result")), (#"{"error":1}"#, .wrongKind(key: "error", kind: "integer")),
        ] as [(String, MessageError)])
    func malformedReplies(text: String, error: MessageError) {
        #expect(throws: error) { try reply(text) }
    }

    @Test("Messages carry only what says something, and end with NUL")
    func messages() throws {
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        #expect(text(Call("a.b.C").message) == "{\"method\":\"a.b.C\"}\0")
        #expect(
            text(Call("a.b.C", ["x": 1], more: true).message)
                == "{\"method\":\"a.b.C\",\"parameters\":{\"x\":1},\"more\":true}\0")
        #expect(text(Reply().message) == "{}\0")
        #expect(text(Reply(["n": 1], continues: true).message) == "{\"parameters\":{\"n\":1},\"continues\":true}\0")
        #expect(text(Reply(error: "a.b.E").message) == "{\"error\":\"a.b.E\"}\0")
        #expect(try reply(#"{"error":null,"parameters":null,"continues":false}"#) == Reply())
    }
}
