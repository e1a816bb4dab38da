extension JSON: CustomStringConvertible {
    /// The compact JSON text.
    public var description: String { text() }

    /// The JSON text.
    public func text(_ format: JSONFormat = .compact) -> String {
        String(decoding: encoded(format), as: UTF8.self)
    }

    /// The JSON text in UTF-8.
    public func encoded(_ format: JSONFormat = .compact) -> [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, format)
        return bytes
    }

    /// Appends the JSON text to a buffer.
    ///
    /// Integers are written exactly and doubles in the shortest form that reads back equal, with a fraction or an
    /// exponent, so that they stay doubles; NaN and infinities, which JSON lacks, as `null`. Only what must be
    /// escaped is: quotes, backslashes and control characters.
    public func write(to bytes: inout [UInt8], _ format: JSONFormat = .compact) {
        var writer = JSONWriter(bytes: [], format: format)
        // Moved, not copied: two owners of the array would copy it at the first append.
        swap(&writer.bytes, &bytes)
        writer.write(self, level: 0)
        swap(&writer.bytes, &bytes)
    }
}
