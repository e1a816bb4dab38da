import Glibc

/// A system call that failed.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was tried, such as `bind`.
    public var operation: String
    /// The error number.
    public var code: Int32

    /// A failure.
    public init(_ operation: String, code: Int32) {
        self.operation = operation
        self.code = code
    }

    /// One line for a person.
    public var description: String { "\(operation): \(SystemError.text(code))" }

    /// The system's text for an error number.
    static func text(_ code: Int32) -> String {
        String(cString: strerror(code))
    }
}
