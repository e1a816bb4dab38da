extension String {
    /// The text, or its beginning and a mark: a message is for reading.
    package func shortened(to count: Int) -> String { self.count > count ? prefix(count) + "…" : self }
}

/// Why a format is no predicate.
public struct PredicateSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The format that was read.
    public var format: String
    /// Where reading stopped, in Unicode scalars from the start.
    public var position: Int
    /// What would have been right there.
    public var expected: String
    /// What is there instead.
    public var found: String

    /// Makes an error.
    public init(format: String, position: Int, expected: String, found: String) {
        self.format = format
        self.position = position
        self.expected = expected
        self.found = found
    }

    /// The error in one line: format, position, what was expected and what was found.
    public var description: String {
        "predicate `\(format.shortened(to: 200))`, position \(position): expected \(expected), found \(found)"
    }
}
