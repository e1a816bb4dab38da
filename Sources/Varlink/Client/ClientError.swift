/// Why a call failed.
public enum ClientError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No address of a kind that is known: `unix:/path`, `/path`, `./path` or `unix:@name`.
    case badAddress(String)
    /// A path that is longer than the address of a Unix socket holds, in bytes.
    case pathTooLong(String, limit: Int)
    /// Nobody answers at the socket, with the error number (`ENOENT`, `ECONNREFUSED`, `EACCES`, …).
    case notReachable(path: String, errno: Int32)
    /// The server closed the connection before its final reply.
    case closed
    /// The server's message is none of the protocol.
    case protocolViolation(MessageError)
    /// The server sent many replies to a call that did not ask for them.
    case unexpectedContinuation
    /// Nothing came within the time.
    case timeout
    /// The connection is in the middle of a stream, or broke before: it takes no more calls.
    case notReady
    /// The server answered with an error.
    case remote(error: String, parameters: JSONObject)
    /// A system call on the connection failed.
    case system(SystemError)

    /// One line for a person.
    public var description: String {
        switch self {
        case .badAddress(let address): "`\(address)` is no address of a Unix socket"
        case .pathTooLong(let path, let limit):
            "the socket's path `\(path)` has \(path.utf8.count) bytes, and Linux takes at most \(limit)"
        case .notReachable(let path, let code): "\(path): \(SystemError.text(code))"
        case .closed: "the server closed the connection"
        case .protocolViolation(let error): "the server broke the protocol: \(error)"
        case .unexpectedContinuation: "the server broke the protocol: more replies than were asked for"
        case .timeout: "no answer in time"
        case .notReady: "the connection takes no more calls"
        case .remote(let error, let parameters): parameters.isEmpty ? error : "\(error) \(parameters)"
        case .system(let error): "\(error)"
        }
    }
}
