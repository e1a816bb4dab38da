import Foundation
import Varlink

/// A server on a private socket with a few methods to try it with.
final class TestServer: Sendable {
    static let text = """
        # For tests.
        interface org.example.test

        type Colour (red, green)

        method Echo(text: string) -> (text: string)
        method Add(a: int, b: ?int) -> (sum: int)
        method Paint(items: [](name: string, colour: Colour)) -> ()
        # Replies with 1 to the number, the last without `continues`.
        method Count(to: int) -> (n: int)
        # Is answered by the test.
        method Hold(text: ?string) -> (text: string)
        # Is let go without an answer.
        method Drop() -> ()
        # Replies once with that many bytes.
        method Big(bytes: int) -> (text: string)

        error Sad (why: string)

        """

    let folder: TemporaryFolder
    let path: String
    let server: Server
    /// Calls of Hold.
    let held: Inbox<IncomingCall>
    /// Texts of Echo, in the order in which the handler saw them.
    let echoed: Inbox<String>
    /// Reasons for which connections were closed.
    let closed: Inbox<CloseReason>
    /// Clients that were turned away.
    let refused: Inbox<Peer>

    init(_ limits: Limits = Limits()) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("socket")
        let held = Inbox<IncomingCall>()
        let echoed = Inbox<String>()
        let closed = Inbox<CloseReason>()
        let refused = Inbox<Peer>()
        let service = Service(
            vendor: "Example", product: "Test", version: "1", url: "https://example.org",
            interfaces: [try InterfaceDescription(parsing: Self.text)])
        self.folder = folder
        self.path = path
        self.held = held
        self.echoed = echoed
        self.closed = closed
        self.refused = refused
        server = try Server(
            service: service, listeners: [Listener(path: path)], limits: limits,
            observer: { event in
                switch event {
                case .closed(_, _, let reason): closed.put(reason)
                case .refused(let peer): refused.put(peer)
                default: break
                }
            },
            handler: { call in
                switch call.call.member {
                case "Echo":
                    echoed.put(call.parameters["text"]?.stringValue ?? "")
                    call.reply(["text": call.parameters["text"] ?? .null])
                case "Add":
                    let sum = (call.parameters["a"]?.intValue ?? 0) + (call.parameters["b"]?.intValue ?? 0)
                    call.reply(["sum": JSON(sum)])
                case "Count":
                    let last = call.parameters["to"]?.intValue ?? 1
                    for number in 1..<last { call.send(["n": JSON(number)]) }
                    call.reply(["n": JSON(last)])
                case "Hold": held.put(call)
                case "Drop": break
                case "Big":
                    let count = call.parameters["bytes"]?.intValue ?? 0
                    call.reply(["text": .string(String(repeating: "x", count: count))])
                default: call.reply()
                }
            })
    }

    func client() throws -> RawClient { try RawClient(path) }

    /// A client whose call of Hold waits for the test's answer.
    /// - Parameter members: members of the call beside its method, each with a comma before it.
    func holding(_ members: String = "") throws -> (client: RawClient, call: IncomingCall) {
        let client = try client()
        client.send(#"{"method":"org.example.test.Hold"\#(members)}"#)
        return (client, try held.next())
    }

    deinit {
        server.stop(within: .zero)
        server.waitUntilStopped(within: .seconds(20))
    }
}
