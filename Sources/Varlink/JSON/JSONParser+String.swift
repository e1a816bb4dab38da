extension JSONParser {
    /// Parses a string, from its opening quote on.
    mutating func parseString() throws(JSONError) -> String {
        position += 1
        let start = position
        var union: UInt8 = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let range = start..<position
                position += 1
                if union < 0x80 { return String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self) }
                return try validated(range)
            }
            if byte == UInt8(ascii: "\\") { return try parseEscapedString(from: start) }
            if byte < 0x20 { throw JSONError(.controlCharacter, at: position) }
            union |= byte
            position += 1
        }
        throw unexpected()
    }

    /// Goes on with a string at its first escape.
    private mutating func parseEscapedString(from start: Int) throws(JSONError) -> String {
        var text = try validated(start..<position)
        while true {
            var scalar = try parseEscape()
            if scalar.isSurrogate { scalar = try parsePair(high: scalar) }
            guard let valid = Unicode.Scalar(scalar) else { throw JSONError(.invalidEscape, at: position) }
            text.unicodeScalars.append(valid)
            let run = position
            while position < bytes.count, bytes[position] >= 0x20, bytes[position] != UInt8(ascii: "\""),
                bytes[position] != UInt8(ascii: "\\")
            {
                position += 1
            }
            if position > run { text += try validated(run..<position) }
            switch current {
            case UInt8(ascii: "\""):
                position += 1
                return text
            case UInt8(ascii: "\\"): continue
            default:
                if position < bytes.count { throw JSONError(.controlCharacter, at: position) }
                throw unexpected()
            }
        }
    }

    /// The second half of a surrogate pair; a lone half is an error.
    private mutating func parsePair(high: UInt32) throws(JSONError) -> UInt32 {
        let start = position
        guard high < 0xDC00, current == UInt8(ascii: "\\") else { throw JSONError(.invalidEscape, at: start) }
        let low = try parseEscape()
        guard low >= 0xDC00, low <= 0xDFFF else { throw JSONError(.invalidEscape, at: start) }
        return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
    }

    /// The scalar, or half of a pair, that the escape at the current backslash stands for.
    private mutating func parseEscape() throws(JSONError) -> UInt32 {
        position += 1
        guard position < bytes.count else { throw unexpected() }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt32(byte)
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"):
            var value: UInt32 = 0
            for _ in 0..<4 {
                guard position < bytes.count else { throw unexpected() }
                guard let digit = hexadecimal(bytes[position]) else {
                    throw JSONError(.invalidEscape, at: position)
                }
                value = value << 4 | digit
                position += 1
            }
            return value
        default: throw JSONError(.invalidEscape, at: position - 1)
        }
    }

    private func hexadecimal(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// The text of a range without escapes; refuses what is not UTF-8 instead of repairing it.
    ///
    /// The standard library's own validating initialiser is generic and not specialised: it costs three times as much.
    private func validated(_ range: Range<Int>) throws(JSONError) -> String {
        let slice = UnsafeBufferPointer(rebasing: bytes[range])
        if let invalid = UTF8Check.firstInvalid(in: slice) {
            throw JSONError(.invalidUTF8, at: range.lowerBound + invalid)
        }
        return String(decoding: slice, as: UTF8.self)
    }
}

extension UInt32 {
    /// Whether this is half of a UTF-16 surrogate pair.
    fileprivate var isSurrogate: Bool { self >= 0xD800 && self <= 0xDFFF }
}
