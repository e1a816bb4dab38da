import Foundation

/// The encodings that XML is read in, beside UTF-8: those that Apple's parser is given now and then.
enum XMLEncoding {
    /// Which half of a UTF-16 unit comes first; nil for bytes that do not begin as XML in UTF-16 does: with a byte order
    /// mark, or with `<` as a unit.
    private static func isBigEndian(_ data: Data) -> Bool? {
        switch Array(data.prefix(2)) {
        case [0xFE, 0xFF], [0x00, 0x3C]: true
        case [0xFF, 0xFE], [0x3C, 0x00]: false
        default: nil
        }
    }

    /// Whether bytes begin as XML in UTF-16 does.
    static func isUTF16(_ data: Data) -> Bool { isBigEndian(data) != nil }

    /// The same text in UTF-8.
    /// - Throws: ``XMLError`` where the bytes are no text, or are in an encoding that is not read.
    static func utf8(_ data: Data) throws(XMLError) -> [UInt8] {
        if let isBig = isBigEndian(data) {
            let bytes = [UInt8](data)
            let units = stride(from: 0, to: bytes.count - 1, by: 2).map { place in
                let (high, low) = isBig ? (bytes[place], bytes[place + 1]) : (bytes[place + 1], bytes[place])
                return UInt16(high) << 8 | UInt16(low)
            }
            guard bytes.count % 2 == 0, let text = String(validating: units, as: UTF16.self) else {
                throw XMLError(message: "it begins as UTF-16, but is none", line: 1)
            }
            return Array(text.utf8)
        }
        switch declared(data)?.uppercased() {
        case "ISO-8859-1", "LATIN1", "ISO_8859-1":
            // Its bytes are the first 256 characters.
            let text = String(String.UnicodeScalarView(data.map { Unicode.Scalar($0) }))
            return Array(text.utf8)
        case let other:
            guard other == nil || ["UTF-8", "UTF8", "US-ASCII", "ASCII"].contains(other) else {
                throw XMLError(
                    message: "it is in \(other?.prefix(40) ?? ""), and only UTF-8, UTF-16 and ISO-8859-1 are read",
                    line: 1)
            }
            guard String(validating: data, as: UTF8.self) != nil else {
                throw XMLError(message: "it is not in UTF-8", line: 1)
            }
            return [UInt8](data)
        }
    }

    /// The encoding that the XML declaration names.
    private static func declared(_ data: Data) -> String? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let start = data.starts(with: mark) ? data.dropFirst(3) : data
        guard start.starts(with: "<?xml".utf8), let end = start.firstIndex(of: UInt8(ascii: ">")) else { return nil }
        let text = String(decoding: start[start.startIndex...end], as: UTF8.self)
        guard let name = text.range(of: "encoding") else { return nil }
        let rest = text[name.upperBound...].drop { " \t\r\n=\"'".contains($0) }
        return String(rest.prefix { !"\"' \t\r\n?".contains($0) })
    }
}
