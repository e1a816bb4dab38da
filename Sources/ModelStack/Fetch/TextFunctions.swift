import Foundation
import SQLite
import StoreModel

/// The SQL functions that this stack's queries call, for what SQLite does not know of Unicode text.
enum TextFunctions {
    /// `fold(text, options)`: without case (1) and without diacritics (2).
    static let fold = "MODELSTACK_FOLD"
    /// `like(text, pattern)`: `*` is any text, `?` one character, `\` takes the next one literally.
    static let like = "MODELSTACK_LIKE"
    /// `matches(text, expression, options)`: the whole text is matched.
    static let matches = "MODELSTACK_MATCHES"
    /// `standardContains(text, part)`: without case, diacritics and width.
    static let standardContains = "MODELSTACK_STANDARD_CONTAINS"
    /// `sortKey(text)`: orders as `localizedStandardCompare` does: without case and diacritics, numbers by value.
    static let sortKey = "MODELSTACK_SORT_KEY"
    static let upper = "MODELSTACK_UPPER"
    static let lower = "MODELSTACK_LOWER"

    static func register(on connection: Connection) throws {
        try connection.createFunction(fold, argumentCount: 2) { arguments in
            guard let text = arguments[0].textValue else { return .null }
            return .text(folded(text, Int(arguments[1].integerValue ?? 0)))
        }
        try connection.createFunction(like, argumentCount: 2) { arguments in
            guard let text = arguments[0].textValue, let pattern = arguments[1].textValue else { return .null }
            return .integer(Wildcards.match(Array(text), Array(pattern)) ? 1 : 0)
        }
        try connection.createFunction(standardContains, argumentCount: 2) { arguments in
            guard let text = arguments[0].textValue, let part = arguments[1].textValue else { return .null }
            return .integer(text.containsStandard(part) ? 1 : 0)
        }
        try connection.createFunction(sortKey, argumentCount: 1) { arguments in
            arguments[0].textValue.map { .text(standardSortKey($0)) } ?? .null
        }
        try connection.createFunction(upper, argumentCount: 1) {
            $0[0].textValue.map { .text($0.uppercased()) } ?? .null
        }
        try connection.createFunction(lower, argumentCount: 1) {
            $0[0].textValue.map { .text($0.lowercased()) } ?? .null
        }
        var compiled: [String: NSRegularExpression] = [:]
        try connection.createFunction(matches, argumentCount: 3) { arguments in
            guard let text = arguments[0].textValue, let pattern = arguments[1].textValue else { return .null }
            let options = Int(arguments[2].integerValue ?? 0)
            let known = compiled["\(options)\(pattern)"]
            guard let expression = known ?? (try? regularExpression(pattern, options)) else { return .null }
            if known == nil {
                if compiled.count > 20 { compiled.removeAll() }
                compiled["\(options)\(pattern)"] = expression
            }
            let subject = folded(text, options & 2)
            let range = NSRange(subject.startIndex..., in: subject)
            let match = expression.firstMatch(in: subject, options: .anchored, range: range)
            return .integer(match?.range == range ? 1 : 0)
        }
    }

    /// An expression that matches a whole text.
    static func regularExpression(_ pattern: String, _ options: Int) throws -> NSRegularExpression {
        try NSRegularExpression(
            pattern: "^(?:\(pattern))$", options: options & 1 != 0 ? [.caseInsensitive] : [])
    }

    /// The text without case (1) and without diacritics (2).
    static func folded(_ text: String, _ options: Int) -> String {
        guard options & 3 != 0 else { return text }
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return options & 1 != 0 ? text.lowercased() : text }
        var folding: String.CompareOptions = []
        if options & 1 != 0 { folding.insert(.caseInsensitive) }
        if options & 2 != 0 { folding.insert(.diacriticInsensitive) }
        return text.folding(options: folding, locale: nil)
    }

    private static func standardSortKey(_ text: String) -> String {
        var key = ""
        var digits = ""
        func flush() {
            guard !digits.isEmpty else { return }
            let number = digits.drop { $0 == "0" }
            // The count of digits first, so that longer numbers come later.
            key += String(repeating: "0", count: max(0, 6 - "\(number.count)".count)) + "\(number.count)" + number
            digits = ""
        }
        for character in folded(text, 3) {
            if character.isASCII, character.isNumber {
                digits.append(character)
            } else {
                flush()
                key.append(character)
            }
        }
        flush()
        return key
    }
}

extension String {
    /// Whether the text contains the part, without regard to case, diacritics and width.
    func containsStandard(_ part: String) -> Bool {
        guard !part.isEmpty else { return true }
        let options: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive, .widthInsensitive]
        return folding(options: options, locale: nil).contains(part.folding(options: options, locale: nil))
    }
}

/// Matching with `*` and `?`.
private enum Wildcards {
    static func match(_ text: [Character], _ pattern: [Character]) -> Bool {
        var (t, p) = (0, 0)
        var retry: (t: Int, p: Int)?
        while true {
            if p < pattern.count, pattern[p] == "*" {
                retry = (t, p + 1)
                p += 1
                continue
            }
            if t == text.count, p == pattern.count { return true }
            if t < text.count, p < pattern.count {
                let isEscaped = pattern[p] == "\\" && p + 1 < pattern.count
                let wanted = isEscaped ? pattern[p + 1] : pattern[p]
                if wanted == text[t] || (!isEscaped && wanted == "?") {
                    t += 1
                    p += isEscaped ? 2 : 1
                    continue
                }
            }
            guard let last = retry, last.t < text.count else { return false }
            retry = (last.t + 1, last.p)
            (t, p) = (last.t + 1, last.p)
        }
    }
}
