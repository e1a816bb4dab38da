/// Checks UTF-8 as Unicode's table 3-7 has it: no surrogates, no overlong forms, nothing above U+10FFFF.
enum UTF8Check {
    /// The offset of the first sequence that is not well-formed; nil where all are.
    static func firstInvalid(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var index = 0
        while index < bytes.count {
            let lead = bytes[index]
            if lead < 0x80 {
                index += 1
                continue
            }
            guard let (length, second) = form(lead), index + length <= bytes.count,
                second.contains(bytes[index + 1])
            else { return index }
            for trail in bytes[(index + 2)...].prefix(length - 2) where trail & 0xC0 != 0x80 { return index }
            index += length
        }
        return nil
    }

    /// The length of the sequence that a byte leads, and what its second byte may be.
    private static func form(_ lead: UInt8) -> (length: Int, second: ClosedRange<UInt8>)? {
        switch lead {
        case 0xC2...0xDF: (2, 0x80...0xBF)
        case 0xE0: (3, 0xA0...0xBF)
        case 0xED: (3, 0x80...0x9F)
        case 0xE1...0xEF: (3, 0x80...0xBF)
        case 0xF0: (4, 0x90...0xBF)
        case 0xF1...0xF3: (4, 0x80...0xBF)
        case 0xF4: (4, 0x80...0x8F)
        default: nil
        }
    }
}
