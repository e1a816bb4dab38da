/// Why a text is no interface description, and where.
public struct InterfaceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was expected or wrong.
    public var message: String
    /// The line, from 1.
    public var line: Int

    /// A fault at a line.
    public init(_ message: String, line: Int) {
        self.message = message
        self.line = line
    }

    /// One line for a person.
    public var description: String { "line \(line): \(message)" }
}
