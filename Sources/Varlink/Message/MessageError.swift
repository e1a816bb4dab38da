/// Why a message is not one of the protocol. A peer that sends such a message is disconnected without an answer.
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
        }
    }
}
