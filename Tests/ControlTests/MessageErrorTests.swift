import Testing
import Varlink

@testable import Control

/// What the daemon answers to what is no call.
@Suite struct MessageErrorTests {
    @Test(
        arguments: [
            (.notAnObject, "MalformedMessage", "object"), (.unknownKey("extra"), "MalformedMessage", "extra"),
            (.incomplete, "MalformedMessage", "NUL"), (.notInTime, "MalformedMessage", "time"),
            (.tooLong(limit: 1_024), "MessageTooLong", "1024 bytes"),
        ] as [(MessageError, String, String)])
    func eachFaultHasAnErrorOfTheInterface(error: MessageError, code: String, what: String) {
        let reply = ErrorReply.of(error)
        #expect(reply.error == "org.coexistd.Control.\(code)")
        #expect(ControlInterface.errors.contains(code))
        #expect(reply.parameters["message"]?.stringValue?.contains(what) == true)
        #expect(reply.parameters["way"]?.stringValue?.isEmpty == false)
    }
}
