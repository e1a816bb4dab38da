/// Cuts the text of an interface description into words and signs, and collects comments.
struct InterfaceLexer {
    private let bytes: [UInt8]
    private var position = 0
    private(set) var line = 1
    /// The lines of the comment right above the next token. An empty line ends a comment.
    private(set) var comment: [String] = []

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { position == bytes.count }

    /// Goes to the next token.
    mutating func skip() {
        comment = []
        // Whether nothing stands on this line yet.
        var isBlank = position == 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\n"):
                if isBlank { comment = [] }
                isBlank = true
                line += 1
                position += 1
            case 0x20, 0x09, UInt8(ascii: "\r"): position += 1
            case UInt8(ascii: "#"):
                let start = position + 1
                while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
                var text = String(decoding: bytes[start..<position], as: UTF8.self)
                if text.first == " " { text.removeFirst() }
                while text.last?.isWhitespace == true { text.removeLast() }
                // A comment behind a token on its line is not about what follows.
                if isBlank { comment.append(text) }
                isBlank = false
            default: return
            }
        }
    }

    /// Whether a sign stands at the current position.
    func sees(_ sign: StaticString) -> Bool {
        let count = sign.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { bytes[position + $0] == sign.utf8Start[$0] }
    }

    /// Takes a sign with the space behind it, if it stands there.
    mutating func take(_ sign: StaticString) -> Bool {
        guard sees(sign) else { return false }
        position += sign.utf8CodeUnitCount
        skip()
        return true
    }

    /// Takes the longest run of letters, digits and these signs, with the space behind it.
    mutating func takeWord(_ others: [UInt8]) -> String {
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            guard byte.isLetter || byte.isDigit || others.contains(byte) else { break }
            position += 1
        }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        skip()
        return word
    }
}

extension UInt8 {
    /// Whether this is an ASCII letter.
    var isLetter: Bool { (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "z") }
    /// Whether this is an ASCII digit.
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
    /// Whether this is an upper-case ASCII letter.
    var isUpper: Bool { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") }
}
