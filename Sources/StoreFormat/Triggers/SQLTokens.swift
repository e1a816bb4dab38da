/// Just enough of SQL's tokens to take a trigger apart. Byte by byte, as SQLite reads: what is outside ASCII is part of a
/// name.
struct SQLTokens {
    let text: String
    private(set) var position: String.Index

    init(_ text: String) {
        self.text = text
        position = text.startIndex
    }

    var isAtEnd: Bool { position == text.endIndex }

    /// The byte that comes next, or the one behind it; nil beyond the end.
    private func byte(behind: Int = 0) -> UInt8? {
        guard let place = text.utf8.index(position, offsetBy: behind, limitedBy: text.endIndex), place < text.endIndex
        else { return nil }
        return text.utf8[place]
    }

    private mutating func advance() { position = text.utf8.index(after: position) }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        let bytes = text.utf8
        while position < text.endIndex, condition(bytes[position]) { position = bytes.index(after: position) }
    }

    /// Moves past white space and comments.
    private mutating func skipSpace() {
        while let next = byte() {
            if Self.isSpace(next) {
                advance()
            } else if next == UInt8(ascii: "-"), byte(behind: 1) == next {
                skip { $0 != UInt8(ascii: "\n") }
            } else if next == UInt8(ascii: "/"), byte(behind: 1) == UInt8(ascii: "*") {
                position = text.utf8[position...].dropFirst(2).firstRange(of: "*/".utf8)?.upperBound ?? text.endIndex
            } else {
                return
            }
        }
    }

    /// Moves past the keyword if it comes next.
    /// - Parameter word: in capitals.
    mutating func keyword(_ word: String) -> Bool {
        let before = position
        skipSpace()
        var rest = word.utf8.makeIterator()
        while let next = byte(), Self.isWord(next) {
            guard Self.capital(next) == rest.next() else {
                position = before
                return false
            }
            advance()
        }
        if rest.next() == nil { return true }
        position = before
        return false
    }

    /// Moves past a name, quoted or not.
    mutating func name() -> Substring? {
        skipSpace()
        let start = position
        skipToken()
        return start == position ? nil : text[start..<position]
    }

    /// Moves past a name that may have its schema's before it.
    mutating func qualifiedName() -> Bool {
        guard name() != nil else { return false }
        let end = position
        skipSpace()
        guard byte() == UInt8(ascii: ".") else {
            position = end
            return true
        }
        skipToken()
        return name() != nil
    }

    mutating func skipToken() {
        skipSpace()
        guard let first = byte() else { return }
        if let close = Self.close(first) {
            advance()
            skip { $0 != close }
            if !isAtEnd { advance() }
        } else if Self.isWord(first) {
            skip(while: Self.isWord)
        } else {
            advance()
        }
    }

    /// What ends a token that begins with a quote.
    private static func close(_ quote: UInt8) -> UInt8? {
        switch quote {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): quote
        case UInt8(ascii: "["): UInt8(ascii: "]")
        default: nil
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
        default: byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
        }
    }

    private static func capital(_ byte: UInt8) -> UInt8 { (0x61...0x7A).contains(byte) ? byte - 0x20 : byte }
}
