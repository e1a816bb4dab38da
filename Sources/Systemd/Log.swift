import Glibc

/// Writes messages to the journal or to standard error.
public struct Log: Sendable {
    /// Where messages go.
    public enum Target: Sendable, Hashable {
        /// The journal with all fields; standard error where no journal listens.
        case journal
        /// Standard error: with `<N>` before each line where it leads to the journal, else plain text.
        case standardError
        /// A descriptor, plain text.
        case descriptor(Int32)
    }

    /// The least grave level that is written.
    public var level: LogLevel
    /// Where messages go.
    public var target: Target
    private let isPrefixed: Bool

    /// A log. Whether standard error leads to the journal is decided here, once.
    public init(level: LogLevel = .info, target: Target = .standardError) {
        self.level = level
        self.target = target
        self.isPrefixed = Journal.isStandardError
    }

    /// Whether a message of that level is written.
    public func writes(_ level: LogLevel) -> Bool { level <= self.level }

    /// Writes a message, unless its level is beyond the log's. Never fails: a log that cannot be written is lost.
    public func write(_ record: LogRecord) {
        guard writes(record.level) else { return }
        switch target {
        case .journal:
            if !Journal.send(record) { line(record.text(isPrefixed: isPrefixed), to: STDERR_FILENO) }
        case .standardError: line(record.text(isPrefixed: isPrefixed), to: STDERR_FILENO)
        case .descriptor(let descriptor): line(record.text(isPrefixed: false), to: descriptor)
        }
    }

    /// Writes a message made of its parts, with the place of the call.
    public func callAsFunction(
        _ level: LogLevel, _ message: @autoclosure () -> String, id messageID: String? = nil,
        fields: @autoclosure () -> [(name: String, value: String)] = [],
        file: String = #fileID, line: Int = #line, function: String = #function
    ) {
        guard writes(level) else { return }
        write(
            LogRecord(
                level, message(), id: messageID, fields: fields(), file: file, line: line, function: function))
    }

    private func line(_ text: String, to descriptor: Int32) {
        // One write a line, so that lines of several threads do not mix.
        var rest = Array(text.utf8) + [UInt8(ascii: "\n")]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest, rest.count)
            if count < 0 {
                if errno == EINTR { continue }
                return
            }
            rest.removeFirst(count)
        }
    }
}
