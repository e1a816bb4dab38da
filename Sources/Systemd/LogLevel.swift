/// How grave a message is, with syslog's numbers (sd-daemon(3)); lower is graver.
public enum LogLevel: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// The system is unusable.
    case emergency = 0
    /// Action must be taken at once.
    case alert = 1
    /// Critical conditions.
    case critical = 2
    /// Errors.
    case error = 3
    /// Warnings.
    case warning = 4
    /// Normal, but significant.
    case notice = 5
    /// Informational.
    case info = 6
    /// For finding faults.
    case debug = 7

    /// The level of that name, as a configuration file has it.
    public init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// The name, such as `warning`.
    public var name: String { "\(self)" }

    /// Orders by number: `error < debug`, so that "at most `info`" reads as it is meant.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
