/// Text that others chose, such as names, paths and authors, as part of a line for people.
public enum LineText {
    /// The text as one line that a terminal shows and does not obey: what a store holds must neither move the cursor nor look
    /// like lines of ours. Line breaks, control characters and those that turn the direction of text are written as in Swift.
    public static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isControl(scalar): result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // C0, DEL and C1.
        case 0..<0x20, 0x7F...0x9F: true
        // The marks, embeddings, overrides and isolates of the bidirectional algorithm; line and paragraph separator.
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
