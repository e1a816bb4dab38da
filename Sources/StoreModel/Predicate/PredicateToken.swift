/// A word of the format language with the place where it starts.
struct PredicateToken {
    enum Kind: Equatable {
        /// A name; `escaped` if `#` stood in front, so that it is no keyword.
        case name(String, escaped: Bool)
        /// `@count` and its kin, the sign included.
        case collectionOperator(String)
        case variable(String)
        case string(String)
        case number(ModelValue)
        /// The letter or letters behind `%`: `@`, `K`, `d` …
        case placeholder(String)
        case symbol(String)
        case end
    }

    var kind: Kind
    /// In Unicode scalars from the format's start.
    var position: Int

    /// The name in capitals, if it is one that may be a keyword.
    var keyword: String? {
        if case .name(let text, escaped: false) = kind { text.uppercased() } else { nil }
    }

    func isSymbol(_ text: String) -> Bool { kind == .symbol(text) }

    /// How an error shows it.
    var shown: String {
        switch kind {
        case .name(let text, let escaped): "`\(escaped ? "#" : "")\(text)`"
        case .collectionOperator(let text): "`\(text)`"
        case .variable(let name): "`$\(name)`"
        case .string(let text): "the string \"\(text.prefix(40))\""
        case .number: "a number"
        case .placeholder(let letters): "`%\(letters)`"
        case .symbol(let text): "`\(text)`"
        case .end: "the end"
        }
    }
}
