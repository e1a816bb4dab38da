extension JSON {
    /// How deeply arrays and objects may be nested unless told otherwise.
    public static let defaultMaximumDepth = 64

    /// Parses a JSON text strictly (RFC 8259): UTF-8 only, no comments, no trailing commas, nothing after the value.
    ///
    /// Of duplicate keys the last value counts. A whole number outside `Int64` and `UInt64` becomes a double.
    /// - Parameters:
    ///   - bytes: the text in UTF-8, without a byte order mark.
    ///   - maximumDepth: how deeply arrays and objects may be nested.
    /// - Throws: ``JSONError`` with the offset of the fault.
    public init(
        parsing bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int = defaultMaximumDepth
    ) throws(JSONError) {
        var parser = JSONParser(bytes, maximumDepth: maximumDepth)
        self = try parser.parseDocument()
    }

    /// Parses a JSON text; see ``init(parsing:maximumDepth:)-(UnsafeBufferPointer<UInt8>,_)``.
    public init(parsing bytes: [UInt8], maximumDepth: Int = defaultMaximumDepth) throws(JSONError) {
        self = try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            try JSON(parsing: buffer, maximumDepth: maximumDepth)
        }
    }

    /// Parses a JSON text; see ``init(parsing:maximumDepth:)-(UnsafeBufferPointer<UInt8>,_)``.
    public init(parsing text: String, maximumDepth: Int = defaultMaximumDepth) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), maximumDepth: maximumDepth)
    }

    /// Parses a message's envelope: as above, but a key that stands twice in the outermost object is refused.
    init(
        parsingEnvelope bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int
    ) throws(JSONError) {
        var parser = JSONParser(bytes, maximumDepth: maximumDepth)
        parser.refusesDuplicatesAtTop = true
        self = try parser.parseDocument()
    }
}
