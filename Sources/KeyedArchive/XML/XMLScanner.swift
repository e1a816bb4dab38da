/// The parts of an XML text, one at a time.
struct XMLScanner {
    private let bytes: [UInt8]
    private var place = 0
    private(set) var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { place == bytes.count }

    func error(_ message: String) -> XMLError { XMLError(message: message, line: line) }

    private func peek() -> UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where place < bytes.count {
            // A carriage return alone ends a line too.
            let isReturn = bytes[place] == 0x0D
            place += 1
            if bytes[place - 1] == 0x0A || isReturn && peek() != 0x0A { line += 1 }
        }
    }

    /// Moves past the text if it comes next.
    mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - place >= count else { return false }
        for i in 0..<count where bytes[place + i] != text.utf8Start[i] { return false }
        advance(count)
        return true
    }

    /// - Returns: whether there was any.
    @discardableResult
    mutating func skipSpace() -> Bool {
        let before = place
        while let byte = peek(), Self.isSpace(byte) { advance() }
        return place > before
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    private mutating func skip(past text: StaticString, _ what: String) throws(XMLError) {
        while !isAtEnd {
            if take(text) { return }
            advance()
        }
        throw error("\(what) does not end")
    }

    // MARK: What is passed over

    /// The byte order mark and the XML declaration.
    mutating func prolog() throws(XMLError) {
        _ = take("\u{FEFF}")
        guard bytes[place...].starts(with: "<?xml".utf8), bytes.count > place + 5, Self.isSpace(bytes[place + 5])
        else { return }
        try skip(past: "?>", "the XML declaration")
    }

    mutating func skipComment() throws(XMLError) { try skip(past: "-->", "a comment") }

    mutating func skipInstruction() throws(XMLError) { try skip(past: "?>", "an instruction") }

    mutating func skipDocumentType() throws(XMLError) {
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: ">"): return advance()
            case UInt8(ascii: "["): throw error("a document type with declarations is not read")
            case UInt8(ascii: "\""):
                advance()
                try skip(past: "\"", "the document type")
            case UInt8(ascii: "'"):
                advance()
                try skip(past: "'", "the document type")
            default: advance()
            }
        }
        throw error("the document type does not end")
    }

    // MARK: What is read

    mutating func name() throws(XMLError) -> String {
        let start = place
        while let byte = peek(), Self.isNamePart(byte) { advance() }
        guard let first = bytes[start..<place].first, ![0x2D, 0x2E].contains(first), !(0x30...0x39 ~= first) else {
            throw error("a name is expected")
        }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2D, 0x2E, 0x3A, 0x5F, 0x80...: true
        default: false
        }
    }

    mutating func attributeValue() throws(XMLError) -> String {
        guard let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw error("a value in quotes is expected")
        }
        advance()
        var value: [UInt8] = []
        while let byte = peek() {
            if byte == quote {
                advance()
                return String(decoding: value, as: UTF8.self)
            }
            guard byte != UInt8(ascii: "<") else { break }
            // A line's end in a value is a space (XML 1.0, section 3.3.3).
            if Self.isSpace(byte) {
                advance()
                value.append(0x20)
            } else {
                try character(into: &value)
            }
        }
        throw error("a value does not end")
    }

    /// Text up to the next tag.
    mutating func text() throws(XMLError) -> String {
        var text: [UInt8] = []
        while let byte = peek(), byte != UInt8(ascii: "<") {
            if byte == 0x0D {
                // A line ends with one line feed, however the file has it (XML 1.0, section 2.11).
                advance()
                if peek() != 0x0A { text.append(0x0A) }
            } else {
                try character(into: &text)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The text of a CDATA section.
    mutating func characterData() throws(XMLError) -> String {
        let start = place
        try skip(past: "]]>", "a CDATA section")
        return String(decoding: bytes[start..<place - 3], as: UTF8.self)
    }

    /// A byte of text, or what a reference stands for.
    private mutating func character(into text: inout [UInt8]) throws(XMLError) {
        guard let byte = peek() else { return }
        if byte == UInt8(ascii: "&") {
            text.append(contentsOf: try reference())
            return
        }
        guard byte >= 0x20 || Self.isSpace(byte) else { throw error("byte \(byte) in a text") }
        advance()
        text.append(byte)
    }

    private static let entities: [String: String] = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]

    private mutating func reference() throws(XMLError) -> String.UTF8View {
        advance()
        let start = place
        // The longest that means anything is a character's number with some zeros before it.
        while let byte = peek(), byte != UInt8(ascii: ";"), place - start < 16 { advance() }
        let name = String(decoding: bytes[start..<place], as: UTF8.self)
        guard take(";") else { throw error("& begins no reference") }
        if let text = Self.entities[name] { return text.utf8 }
        let number: UInt32? =
            name.hasPrefix("#x")
            ? UInt32(name.dropFirst(2), radix: 16)
            : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
        guard let number, number >= 0x20 || [0x09, 0x0A, 0x0D].contains(number),
            let scalar = Unicode.Scalar(number)
        else { throw error("&\(name); stands for nothing") }
        return String(Character(scalar)).utf8
    }
}
