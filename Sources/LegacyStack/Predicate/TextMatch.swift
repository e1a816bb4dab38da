import Foundation
import SQLite
import StoreModel
import Synchronization

/// The text operators of predicates: one implementation for SQL and for objects in memory.
enum TextMatch {
    typealias Operator = PredicateNode.Comparison.Operator
    typealias Options = PredicateNode.Comparison.Options

    /// The text in the form that comparisons under these options are made in.
    static func fold(_ text: String, _ options: Options) -> String {
        var result = text
        if options.contains(.diacriticInsensitive) {
            result = result.folding(options: .diacriticInsensitive, locale: nil)
        }
        if options.contains(.caseInsensitive) {
            result =
                result.utf8.allSatisfy { $0 < 0x80 }
                ? result.lowercased() : result.folding(options: .caseInsensitive, locale: nil)
        }
        return result
    }

    /// Whether `text operator[options] pattern` holds.
    static func matches(_ text: String, _ operator: Operator, _ pattern: String, _ options: Options) -> Bool {
        if `operator` == .matches { return regularExpression(text, pattern, options) }
        let (text, pattern) = (fold(text, options), fold(pattern, options))
        switch `operator` {
        case .beginsWith: return text.utf8.starts(with: pattern.utf8)
        case .endsWith:
            return text.utf8.count >= pattern.utf8.count
                && text.utf8.suffix(pattern.utf8.count).elementsEqual(pattern.utf8)
        case .contains: return contains(Array(text.utf8), Array(pattern.utf8))
        case .like: return like(Array(text), Array(pattern))
        default: return text.utf8.elementsEqual(pattern.utf8)
        }
    }

    private static func contains(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
        guard let first = pattern.first else { return true }
        guard text.count >= pattern.count else { return false }
        for start in 0...(text.count - pattern.count) where text[start] == first {
            if text[start..<start + pattern.count].elementsEqual(pattern) { return true }
        }
        return false
    }

    /// `?` is one character, `*` any number, `\` takes the next as it is.
    private static func like(_ text: [Character], _ pattern: [Character]) -> Bool {
        var (t, p) = (0, 0)
        var star: (pattern: Int, text: Int)?
        while t < text.count {
            if p < pattern.count, pattern[p] == "*" {
                star = (p, t)
                p += 1
            } else if p < pattern.count, pattern[p] == "?" {
                (t, p) = (t + 1, p + 1)
            } else if p + 1 < pattern.count, pattern[p] == "\\", pattern[p + 1] == text[t] {
                (t, p) = (t + 1, p + 2)
            } else if p < pattern.count, pattern[p] != "\\", pattern[p] == text[t] {
                (t, p) = (t + 1, p + 1)
            } else if let last = star {
                star = (last.pattern, last.text + 1)
                (t, p) = (last.text + 1, last.pattern + 1)
            } else {
                return false
            }
        }
        while p < pattern.count, pattern[p] == "*" { p += 1 }
        return p == pattern.count
    }

    // A few predicates are evaluated on many rows, so the last expressions are kept compiled.
    private static let compiled = Mutex<[String: NSRegularExpression]>([:])

    /// The compiled expression; nil where the pattern is none.
    static func expression(_ pattern: String, _ options: Options) -> NSRegularExpression? {
        let pattern = options.contains(.diacriticInsensitive) ? fold(pattern, .diacriticInsensitive) : pattern
        let isCaseless = options.contains(.caseInsensitive)
        let name = (isCaseless ? "c" : "-") + pattern
        if let known = compiled.withLock({ $0[name] }) { return known }
        guard
            let made = try? NSRegularExpression(
                pattern: "^(?:\(pattern))$",
                options: isCaseless ? [.caseInsensitive, .dotMatchesLineSeparators] : [.dotMatchesLineSeparators])
        else { return nil }
        compiled.withLock { cache in
            if cache.count >= 32 { cache.removeAll() }
            cache[name] = made
        }
        return made
    }

    private static func regularExpression(_ text: String, _ pattern: String, _ options: Options) -> Bool {
        let text = options.contains(.diacriticInsensitive) ? fold(text, .diacriticInsensitive) : text
        guard let expression = expression(pattern, options) else { return false }
        return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
}

/// The SQL functions that compiled predicates call.
enum PredicateFunctions {
    static let match = "coexist_match"
    static let fold = "coexist_fold"
    static let operators: [TextMatch.Operator] = [.beginsWith, .endsWith, .contains, .like, .matches]

    /// Registers them on a connection.
    static func register(on connection: Connection) throws {
        try connection.createFunction(match, argumentCount: 4) { arguments in
            guard let number = arguments[0].integerValue, operators.indices.contains(Int(number)),
                let options = arguments[1].integerValue, case .text(let text) = arguments[2],
                case .text(let pattern) = arguments[3]
            else { return .null }
            let found = TextMatch.matches(text, operators[Int(number)], pattern, .init(rawValue: Int(options)))
            return .integer(found ? 1 : 0)
        }
        try connection.createFunction(fold, argumentCount: 2) { arguments in
            guard case .text(let text) = arguments[0], let options = arguments[1].integerValue else {
                return arguments[0]
            }
            return .text(TextMatch.fold(text, .init(rawValue: Int(options))))
        }
    }
}
