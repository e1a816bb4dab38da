/// Just enough of SQL's tokens to take a trigger apart.
struct SQLTokens {
    let text: String
    private(set) var position: String.Index

    init(_ text: String) {
        self.text = text
        position = text.startIndex
    }

    var isAtEnd: Bool { position == text.endIndex }

    /// Moves past white space and comments.
    private mutating func skipSpace() {
        while position < text.endIndex {
            if text[position].isWhitespace {
                position = text.index(after: position)
            } else if text[position...].hasPrefix("--") {
                position = text[position...].firstIndex(where: \.isNewline) ?? text.endIndex
            } else if text[position...].hasPrefix("/*") {
                position = text[position...].dropFirst(2).firstRange(of: "*/")?.upperBound ?? text.endIndex
            } else {
                return
            }
        }
    }

    /// Moves past the keyword if it comes next.
    mutating func keyword(_ word: String) -> Bool {
        let before = position
        skipSpace()
        let start = position
        while position < text.endIndex, Self.isWord(text[position]) { position = text.index(after: position) }
        if text[start..<position].uppercased() == word { return true }
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
        guard position < text.endIndex, text[position] == "." else {
            position = end
            return true
        }
        skipToken()
        return name() != nil
    }

    mutating func skipToken() {
        skipSpace()
        guard position < text.endIndex else { return }
        let first = text[position]
        if let close = ["\"": "\"", "'": "'", "`": "`", "[": "]"][first] as Character? {
            position = text.index(after: position)
            while position < text.endIndex, text[position] != close { position = text.index(after: position) }
            if position < text.endIndex { position = text.index(after: position) }
        } else if Self.isWord(first) {
            while position < text.endIndex, Self.isWord(text[position]) { position = text.index(after: position) }
        } else {
            position = text.index(after: position)
        }
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "$"
    }
}
