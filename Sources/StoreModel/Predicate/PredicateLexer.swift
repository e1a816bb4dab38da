import Foundation

/// Cuts a format into words.
struct PredicateLexer {
    private let format: String
    private let scalars: [Unicode.Scalar]
    private var index = 0

    /// By their first character, and the longest first, so that `>=` is not read as `>`.
    private static let symbols = Dictionary(
        grouping: [
            "**", "==", "!=", "<>", ">=", "=>", "<=", "=<", "&&", "||", ":=", "=", "<", ">", "!", "(", ")", "{", "}",
            "[", "]", ",", ".", ":", "+", "-", "*", "/",
        ].map { (text: $0, scalars: Array($0.unicodeScalars)) }, by: { $0.scalars[0] })

    init(_ format: String) {
        self.format = format
        self.scalars = Array(format.unicodeScalars)
    }

    /// All words and an `end`.
    static func tokens(of format: String) throws(PredicateSyntaxError) -> [PredicateToken] {
        var lexer = PredicateLexer(format)
        var tokens: [PredicateToken] = []
        while true {
            let token = try lexer.next()
            tokens.append(token)
            if token.kind == .end { return tokens }
        }
    }

    private func failure(at position: Int, expected: String, found: String) -> PredicateSyntaxError {
        PredicateSyntaxError(format: format, position: position, expected: expected, found: found)
    }

    private func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
        index + ahead < scalars.count ? scalars[index + ahead] : nil
    }

    static func startsName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isAlphabetic
    }

    /// Whether a text is one name, as `$` takes it for a variable.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy { continuesName($0) }
    }

    /// Whether a text is one part of a key path: a name, or an operator such as `@count`.
    static func isKey(_ text: String) -> Bool { isName(text.hasPrefix("@") ? String(text.dropFirst()) : text) }

    /// Whether a text is the name of a function with so many arguments: `now`, `count:`, `add:to:`.
    static func isFunction(_ name: String, of arguments: Int) -> Bool {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == arguments + 1, let first = parts.first?.unicodeScalars.first, startsName(first) else {
            return false
        }
        return arguments == 0
            ? isName(name) : parts.last?.isEmpty == true && parts.dropLast().allSatisfy { isName(String($0)) }
    }

    private static func continuesName(_ scalar: Unicode.Scalar) -> Bool {
        startsName(scalar) || scalar.properties.numericType != nil
            || scalar.properties.generalCategory == .nonspacingMark
    }

    private mutating func name() -> String {
        var text = String.UnicodeScalarView()
        while let scalar = peek(), Self.continuesName(scalar) {
            text.append(scalar)
            index += 1
        }
        return String(text)
    }

    private mutating func name(after start: Int, _ expected: String) throws(PredicateSyntaxError) -> String {
        let text = name()
        guard !text.isEmpty else {
            throw failure(at: start, expected: expected, found: peek().map { "`\($0)`" } ?? "the end")
        }
        return text
    }

    private mutating func next() throws(PredicateSyntaxError) -> PredicateToken {
        while let scalar = peek(), scalar.properties.isWhitespace { index += 1 }
        let start = index
        guard let scalar = peek() else { return PredicateToken(kind: .end, position: start) }
        switch scalar {
        case "'", "\"":
            return PredicateToken(kind: .string(try string(scalar)), position: start)
        case "#":
            index += 1
            return PredicateToken(
                kind: .name(try name(after: start, "a name behind `#`"), escaped: true), position: start)
        case "@":
            index += 1
            let text = "@" + (try name(after: start, "a collection operator behind `@`"))
            return PredicateToken(kind: .collectionOperator(text), position: start)
        case "$":
            index += 1
            return PredicateToken(
                kind: .variable(try name(after: start, "a variable's name behind `$`")), position: start)
        case "%":
            return try placeholder(start)
        case "0"..."9":
            return PredicateToken(kind: .number(try number(start)), position: start)
        case "." where peek(1).map { "0"..."9" ~= $0 } == true && !followsOperand(start):
            return PredicateToken(kind: .number(try number(start)), position: start)
        default:
            if Self.startsName(scalar) { return PredicateToken(kind: .name(name(), escaped: false), position: start) }
        }
        for symbol in Self.symbols[scalar] ?? [] where symbol.scalars.count == 1 || peek(1) == symbol.scalars[1] {
            index += symbol.scalars.count
            return PredicateToken(kind: .symbol(symbol.text), position: start)
        }
        throw failure(at: start, expected: "a name, a value or an operator", found: "`\(scalar)`")
    }

    /// Whether a dot here is a key path's: something that can have keys stands right before it.
    private func followsOperand(_ start: Int) -> Bool {
        guard start > 0 else { return false }
        let before = scalars[start - 1]
        return Self.continuesName(before) || before == ")" || before == "]"
    }

    private mutating func placeholder(_ start: Int) throws(PredicateSyntaxError) -> PredicateToken {
        index += 1
        if peek() == "%" {
            index += 1
            return PredicateToken(kind: .symbol("%%"), position: start)
        }
        var letters = ""
        while let length = peek(), ["l", "h", "q", "z", "t", "j"].contains(length) {
            letters.unicodeScalars.append(length)
            index += 1
        }
        let conversions: [Unicode.Scalar] = [
            "@", "K", "d", "D", "i", "u", "U", "x", "X", "o", "f", "F", "e", "g", "s", "S", "c", "C", "p", "a",
        ]
        guard let letter = peek(), conversions.contains(letter) else {
            throw failure(at: start, expected: "a placeholder such as `%@` or `%K`", found: "`%`")
        }
        letters.unicodeScalars.append(letter)
        index += 1
        return PredicateToken(kind: .placeholder(letters), position: start)
    }

    private mutating func string(_ quote: Unicode.Scalar) throws(PredicateSyntaxError) -> String {
        let start = index
        index += 1
        var text = String.UnicodeScalarView()
        while let scalar = peek() {
            index += 1
            if scalar == quote { return String(text) }
            guard scalar == "\\" else {
                text.append(scalar)
                continue
            }
            guard let escaped = peek() else { break }
            index += 1
            switch escaped {
            case "n": text.append("\n")
            case "t": text.append("\t")
            case "r": text.append("\r")
            case "b": text.append("\u{8}")
            case "f": text.append("\u{C}")
            case "v": text.append("\u{B}")
            case "a": text.append("\u{7}")
            case "x": text.append(try hexadecimal(2))
            case "u": text.append(try hexadecimal(4))
            case "U": text.append(try hexadecimal(8))
            default: text.append(escaped)
            }
        }
        throw failure(at: start, expected: "a closing \(quote)", found: "the end")
    }

    private mutating func hexadecimal(_ digits: Int) throws(PredicateSyntaxError) -> Unicode.Scalar {
        let start = index
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let scalar = peek(), let digit = Character(scalar).hexDigitValue, value <= UInt32.max >> 4 else {
                break
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        guard index == start + digits, let scalar = Unicode.Scalar(value) else {
            throw failure(at: start, expected: "\(digits) hexadecimal digits of a character", found: "something else")
        }
        return scalar
    }

    private mutating func number(_ start: Int) throws(PredicateSyntaxError) -> ModelValue {
        if peek() == "0", let mark = peek(1), let radix = ["x": 16, "X": 16, "o": 8, "b": 2][Character(mark)] {
            index += 2
            let digits = name()
            guard let value = Int64(digits, radix: radix) else {
                throw failure(at: start, expected: "an integer of base \(radix)", found: "`\(digits)`")
            }
            return .integer(value)
        }
        digits()
        var isReal = false
        if peek() == ".", let after = peek(1), "0"..."9" ~= after {
            isReal = true
            index += 1
            digits()
        }
        if peek() == "e" || peek() == "E" {
            let sign = peek(1) == "+" || peek(1) == "-" ? 1 : 0
            if let after = peek(1 + sign), "0"..."9" ~= after {
                isReal = true
                index += 1 + sign
                digits()
            }
        }
        if let after = peek(), Self.startsName(after) {
            throw failure(at: index, expected: "a digit or the number's end", found: "`\(after)`")
        }
        let text = String(String.UnicodeScalarView(scalars[start..<index]))
        if !isReal, let value = Int64(text) { return .integer(value) }
        if !isReal, let value = Decimal(boundedText: text) { return .decimal(value) }
        guard let value = Double(text), value.isFinite else {
            throw failure(at: start, expected: "a number within range", found: "`\(text)`")
        }
        return ModelValue(value, spelled: text)
    }

    private mutating func digits() {
        while let scalar = peek(), "0"..."9" ~= scalar { index += 1 }
    }
}
