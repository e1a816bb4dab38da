import Foundation
import Varlink

/// A command's connection to the daemon.
struct DaemonClient {
    private let client: Client

    /// Connects to `--socket`, else `COEXIST_SOCKET`, else the usual place.
    /// - Throws: `ClientError`; `CommandFailure` for an empty path.
    init(_ arguments: Arguments) throws {
        let named = arguments.value("socket") ?? ProcessInfo.processInfo.environment["COEXIST_SOCKET"]
        guard named != "" else {
            throw CommandFailure.usage("the socket's path is empty", "give it: --socket PATH, or COEXIST_SOCKET")
        }
        let path = named ?? Configuration.defaultSocket
        // What is no address is a path from the working directory on, as everywhere in a shell.
        client = try Client(path.hasPrefix("/") || path.hasPrefix("unix:") ? path : "./" + path)
    }

    func call(_ method: String, _ parameters: JSONObject = [:]) throws -> JSONObject {
        try client.call("\(ControlInterface.name).\(method)", parameters)
    }

    /// Calls the body with each reply, until it returns false.
    func stream(_ method: String, _ parameters: JSONObject, _ body: (JSONObject) throws -> Bool) throws {
        try client.stream("\(ControlInterface.name).\(method)", parameters, each: body)
    }
}
