import Foundation

extension PredicateExpressions {
    /// `text.localizedStandardContains(part)`, which Foundation's own predicates lack on this platform: without regard to
    /// case, diacritics and width.
    public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
        PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        /// Whether the text contains the part.
        public typealias Output = Bool

        /// The text that is searched.
        public let root: Root
        /// The part that is looked for.
        public let other: Other

        /// Makes the expression from the text and the part.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// Returns whether the text contains the part, in memory.
        /// - Throws: what evaluating the two texts throws.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            String(try root.evaluate(bindings)).containsStandard(String(try other.evaluate(bindings)))
        }
    }

    /// What `#Predicate` makes of `localizedStandardContains`.
    public static func build_localizedStandardContains<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> {
        StringLocalizedStandardContains(root: root, other: other)
    }
}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringLocalizedStandardContains: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedStandardContains: SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
        let text = try translator.sql(try translator.translate(root), self)
        let part = try translator.sql(try translator.translate(other), self)
        return .condition("\(TextFunctions.standardContains)(\(text), \(part))")
    }
}
