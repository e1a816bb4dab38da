/// Why a text is not JSON, and where.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was wrong.
    public enum Reason: String, Sendable, Hashable {
        /// The text ends inside a value.
        case unexpectedEnd = "the text ends inside a value"
        /// A byte that cannot stand there.
        case unexpectedByte = "unexpected character"
        /// Something other than white space follows the value.
        case trailingBytes = "text after the value"
        /// Arrays and objects are nested deeper than allowed.
        case tooDeep = "nested too deeply"
        /// Not UTF-8.
        case invalidUTF8 = "not UTF-8"
        /// An escape that is none, or half of a surrogate pair.
        case invalidEscape = "bad escape in a string"
        /// A control character inside a string that is not escaped.
        case controlCharacter = "control character in a string"
        /// A number that JSON's grammar does not have, such as `01` or `1.`.
        case invalidNumber = "bad number"
        /// A number beyond the range of a double.
        case numberOutOfRange = "number out of range"
        /// A key that is there twice, where that is refused.
        case duplicateKey = "duplicate key"
    }

    /// What was wrong.
    public var reason: Reason
    /// The number of bytes before the fault.
    public var offset: Int

    /// A fault at a place.
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// One line for a person.
    public var description: String { "\(reason.rawValue) at byte \(offset)" }
}
