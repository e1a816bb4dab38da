/// Why a connection ended.
public enum CloseReason: Sendable, Hashable, CustomStringConvertible {
    /// The client closed it.
    case closedByClient
    /// The client sent what is no message of the protocol.
    case malformed(MessageError)
    /// The client did not complete a message in time.
    case messageTimeout
    /// The client did not read a stream fast enough: more than ``Limits/queuedBytes`` waited for it.
    case tooSlow
    /// The client read nothing of what waited for it for ``Limits/stallTime``.
    case stalled
    /// Nothing happened for ``Limits/idleTime``.
    case idle
    /// A handler let go of its call without a final reply.
    case abandoned
    /// The server stops.
    case serverStopped
    /// A system call on the connection failed.
    case failed(SystemError)

    /// One line for a person.
    public var description: String {
        switch self {
        case .closedByClient: "closed by the client"
        case .malformed(let error): "malformed message: \(error)"
        case .messageTimeout: "a message was not completed in time"
        case .tooSlow: "the client reads too slowly"
        case .stalled: "the client reads nothing"
        case .idle: "idle"
        case .abandoned: "a call was left without an answer"
        case .serverStopped: "the server stops"
        case .failed(let error): "\(error)"
        }
    }
}
