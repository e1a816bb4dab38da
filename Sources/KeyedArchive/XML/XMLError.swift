/// Why bytes are no XML that is read here.
package struct XMLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, for a person.
    package var message: String
    /// The line, counted from 1.
    package var line: Int

    package init(message: String, line: Int) {
        self.message = message
        self.line = line
    }

    package var description: String { "line \(line): \(message)" }
}
