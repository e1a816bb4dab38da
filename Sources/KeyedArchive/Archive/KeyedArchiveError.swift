/// Why a property list is no keyed archive, or an archive cannot be written.
public struct KeyedArchiveError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, for a person.
    public var message: String

    /// Makes an error.
    public init(_ message: String) {
        self.message = message
    }

    public var description: String { "keyed archive: \(message)" }
}
