import Foundation
import Varlink

/// A command's connection to the daemon.
struct DaemonClient {
    private let client: Client

    /// Connects to `--socket`, else `COEXIST_SOCKET`, else the usual place.
    /// - Throws: `ClientError`.
    init(_ arguments: Arguments) throws {
        let path =
            arguments.value("socket") ?? ProcessInfo.processInfo.environment["COEXIST_SOCKET"]
            ?? Configuration.defaultSocket
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
