/// One message for the log.
public struct LogRecord: Sendable, Hashable {
    /// How grave it is.
    public var level: LogLevel
    /// The text, one line for a person.
    public var message: String
    /// The catalogue's identifier of this kind of message: 32 hexadecimal digits.
    public var messageID: String?
    /// More fields, written after the message in text. The journal wants names of upper-case letters, digits and
    /// underscores that begin with a letter: other names are changed to that.
    public var fields: [(name: String, value: String)]
    /// The source file, `Module/File.swift`.
    public var file: String
    /// The line in it.
    public var line: Int
    /// The function.
    public var function: String

    /// A message, with the place of the call.
    public init(
        _ level: LogLevel, _ message: String, id messageID: String? = nil,
        fields: [(name: String, value: String)] = [],
        file: String = #fileID, line: Int = #line, function: String = #function
    ) {
        self.level = level
        self.message = message
        self.messageID = messageID
        self.fields = fields
        self.file = file
        self.line = line
        self.function = function
    }

    /// The fields as the journal takes them, `NAME=value` each (systemd.journal-fields(7)). Message and values are one line
    /// each: `journalctl` shows what has control characters as a blob, and further lines as if they were messages.
    public var journalFields: [String] {
        var result = ["MESSAGE=\(LineText.printable(message))", "PRIORITY=\(level.rawValue)"]
        if let messageID { result.append("MESSAGE_ID=\(messageID)") }
        result += ["CODE_FILE=\(file)", "CODE_LINE=\(line)", "CODE_FUNC=\(function)"]
        return result + fields.map { "\(Self.journalName($0.name))=\(LineText.printable($0.value))" }
    }

    /// The message as one line of text: `message (name=value, …)`, with line breaks and control characters written out.
    /// - Parameter isPrefixed: whether to begin with `<N>`, which tells the journal the level of a line on standard
    ///   error (sd-daemon(3)); else with the level's name.
    public func text(isPrefixed: Bool) -> String {
        let head = isPrefixed ? "<\(level.rawValue)>" : "\(level.name): "
        let details = fields.map { "\($0.name)=\($0.value)" }.joined(separator: ", ")
        let body = details.isEmpty ? message : "\(message) (\(details))"
        return head + LineText.printable(body)
    }

    static func journalName(_ name: String) -> String {
        var result = ""
        for character in name.uppercased() {
            let isAllowed = character.isASCII && (character.isLetter || character.isNumber)
            result.append(isAllowed ? character : "_")
        }
        // A leading underscore is kept for the journal's own fields, a leading digit is not allowed at all.
        if result.first?.isLetter != true { result = "X" + result }
        return String(result.prefix(64))
    }

    /// Whether both are the same message.
    public static func == (left: LogRecord, right: LogRecord) -> Bool {
        left.journalFields == right.journalFields
    }

    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(journalFields)
    }
}
