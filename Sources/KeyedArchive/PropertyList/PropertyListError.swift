/// Why bytes are no property list, or a tree cannot be written as one.
public struct PropertyListError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    public enum Kind: Sendable, Equatable {
        /// Neither the binary nor the XML form.
        case notAPropertyList
        /// The bytes end before the value does.
        case truncated
        /// A count, size, offset or reference that points outside.
        case outOfBounds
        /// A byte that starts no value.
        case unknownMarker
        /// Text that is not in its encoding.
        case badText
        /// A container that contains itself.
        case cycle
        /// More depth, values or bytes than the limits allow.
        case tooLarge
        /// XML that is not well formed, or an element that does not belong there.
        case badXML
        /// A value that the form to be written has no room for.
        case cannotWrite
    }

    /// What is wrong, for a program.
    public var kind: Kind
    /// What is wrong, for a person.
    public var message: String
    /// Where in the bytes (binary) or in which line (XML) it was noticed; nil when writing.
    public var offset: Int?

    /// Makes an error.
    public init(_ kind: Kind, _ message: String, at offset: Int? = nil) {
        self.kind = kind
        self.message = message
        self.offset = offset
    }

    public var description: String {
        offset.map { "property list: \(message) (at \($0))" } ?? "property list: \(message)"
    }
}
