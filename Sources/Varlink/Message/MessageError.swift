/// Why a message is not one of the protocol. A client that sends such a message is told, and disconnected.
public enum MessageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text is not JSON, or a key of the envelope is there twice.
    case notJSON(JSONError)
    /// The message is JSON but no object.
    case notAnObject
    /// The envelope has a key that the protocol lacks.
    case unknownKey(String)
    /// A key of the envelope is missing.
    case missingKey(String)
    /// A key of the envelope has a value of the wrong kind.
    case wrongKind(key: String, kind: String)
    /// Two keys exclude each other: `more` and `oneway`, or `error` and `continues`.
    case conflict(String, String)
    /// A message is longer than allowed, in bytes.
    case tooLong(limit: Int)
    /// The input ended in the middle of a message.
    case incomplete
    /// A message was not completed within the time for it.
    case notInTime

    /// One line for a person.
    public var description: String {
        switch self {
        case .notJSON(let error): "not JSON: \(error)"
        case .notAnObject: "not an object"
        case .unknownKey(let key): "unknown key `\(key)`"
        case .missingKey(let key): "`\(key)` is missing"
        case .wrongKind(let key, let kind): "`\(key)` is of kind \(kind)"
        case .conflict(let first, let second): "`\(first)` together with `\(second)`"
        case .tooLong(let limit): "longer than \(limit) bytes"
        case .incomplete: "the input ended before its NUL"
        case .notInTime: "not completed in time"
        }
    }

    /// The answer of a server that has no error of its own for it: the key that is wrong, or the message as a whole.
    public var reply: Reply {
        switch self {
        case .unknownKey(let key), .missingKey(let key), .wrongKind(let key, _), .conflict(let key, _):
            ServiceError.invalidParameter(key).reply
        case .notJSON, .notAnObject, .tooLong, .incomplete, .notInTime:
            ServiceError.invalidParameter("message").reply
        }
    }
}
