import Foundation
import Synchronization

/// The text operators of predicates: one implementation for SQL and for objects in memory, in both stacks.
///
/// Without options texts are compared by their bytes. `[c]` folds case as Unicode defines it for every language alike
/// (`ß` is `ss`, the Turkish dotless `ı` is no `i`), `[d]` takes off marks that a letter has by canonical decomposition
/// (so `Ł` stays what it is), and after either, canonically equal texts are equal. `[n]` takes texts as prepared already:
/// they are compared by bytes, whatever else is asked for. `[l]` changes nothing.
public enum TextMatch {
    /// An operator of the format language.
    public typealias Operator = PredicateNode.Comparison.Operator
    /// The letters in brackets behind it.
    public typealias Options = PredicateNode.Comparison.Options

    /// What the options come to: with `[n]` nothing else counts, and `[l]` never does.
    public static func effective(_ options: Options) -> Options {
        options.contains(.normalized) ? [] : options.intersection([.caseInsensitive, .diacriticInsensitive])
    }

    /// The text in the form that comparisons under these options are made in.
    public static func fold(_ text: String, _ options: Options) -> String {
        let options = effective(options)
        guard !options.isEmpty else { return text }
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return options.contains(.caseInsensitive) ? text.lowercased() : text }
        var folding: String.CompareOptions = []
        if options.contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
        return text.folding(options: folding, locale: nil).precomposedStringWithCanonicalMapping
    }

    /// Whether `text operator[options] pattern` holds.
    public static func matches(_ text: String, _ operator: Operator, _ pattern: String, _ options: Options) -> Bool {
        let options = effective(options)
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

    /// By their bytes: canonical equivalence is the options' matter.
    private static func same(_ a: Character, _ b: Character) -> Bool { a.utf8.elementsEqual(b.utf8) }

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
            } else if p + 1 < pattern.count, pattern[p] == "\\", same(pattern[p + 1], text[t]) {
                (t, p) = (t + 1, p + 2)
            } else if p < pattern.count, pattern[p] != "\\", same(pattern[p], text[t]) {
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
    public static func expression(_ pattern: String, _ options: Options) -> NSRegularExpression? {
        let options = effective(options)
        let pattern = options.contains(.diacriticInsensitive) ? fold(pattern, .diacriticInsensitive) : pattern
        let isCaseless = options.contains(.caseInsensitive)
        let name = (isCaseless ? "c" : "-") + pattern
        if let known = compiled.withLock({ $0[name] }) { return known }
        let flags: NSRegularExpression.Options = isCaseless ? [.caseInsensitive] : []
        // By itself first: `a)(b` would become one in the brackets that make it match the whole text.
        guard (try? NSRegularExpression(pattern: pattern, options: flags)) != nil,
            let made = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z", options: flags)
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
