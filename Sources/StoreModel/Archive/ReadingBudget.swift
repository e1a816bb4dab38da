/// Counts what a reader makes of its input. Sharing lets a small input unfold to a tree without end, which depth alone does
/// not bound.
final class ReadingBudget {
    private var left: Int
    private let source: String

    /// The largest real model makes some ten thousand.
    init(source: String, limit: Int = 300_000) {
        self.source = source
        left = limit
    }

    /// Takes from the budget.
    /// - Throws: ``ModelError/malformed(source:reason:)`` when it is used up.
    func spend(_ count: Int = 1) throws(ModelError) {
        left -= count
        guard left > 0 else {
            throw .malformed(source: source, reason: "its parts contain each other, or unfold without end")
        }
    }
}
