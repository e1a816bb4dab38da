extension PredicateNode {
    /// The predicate in NSPredicate's format language.
    ///
    /// ``parse(_:arguments:)`` reads it back equal, save for forms that no format has: a conjunction of no or one part, a
    /// constant array (an aggregate instead), constants that are not finite.
    public var formatString: String {
        switch self {
        case .constant(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): return comparison.formatString
        case .not(let inner): return "NOT \(inner.parenthesised)"
        case .and(let parts) where parts.isEmpty: return "TRUEPREDICATE"
        case .or(let parts) where parts.isEmpty: return "FALSEPREDICATE"
        case .and(let parts) where parts.count == 1, .or(let parts) where parts.count == 1: return parts[0].formatString
        case .and(let parts): return parts.map(\.parenthesised).joined(separator: " AND ")
        case .or(let parts):
            return parts.map { part in
                // AND binds closer than OR and needs no parentheses inside it.
                if case .and = part { part.formatString } else { part.parenthesised }
            }.joined(separator: " OR ")
        }
    }

    private var parenthesised: String {
        switch self {
        case .and(let parts) where parts.count > 1: "(\(formatString))"
        case .or(let parts) where parts.count > 1: "(\(formatString))"
        default: formatString
        }
    }
}

extension PredicateNode.Comparison {
    /// The comparison in NSPredicate's format language.
    public var formatString: String {
        let words: [Modifier: String] = [.any: "ANY ", .all: "ALL ", .none: "NONE "]
        return
            "\(words[modifier] ?? "")\(left.formatString) \(`operator`.rawValue)\(options.formatString) \(right.formatString)"
    }
}

extension PredicateNode.Comparison.Options {
    /// `[cd]`, or nothing.
    var formatString: String {
        let letters: [(Self, String)] = [
            (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"), (.localeSensitive, "l"),
        ]
        let chosen = letters.filter { contains($0.0) }.map(\.1).joined()
        return chosen.isEmpty ? "" : "[\(chosen)]"
    }
}
