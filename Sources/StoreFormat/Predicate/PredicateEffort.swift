/// How much work the checking of one predicate may still be. What stands inside a comparison is looked at for several
/// reasons, each of them once a level: a predicate of few parts can so come to more work than anybody has time for.
final class PredicateEffort {
    private var left = 1_000_000

    /// - Throws: `StoreError` `BadPredicate` where it has come to too much.
    func spend() throws {
        left -= 1
        guard left >= 0 else {
            throw StoreError(
                .badPredicate, "the predicate is too deep: SUBQUERY and TERNARY stand in each other too often",
                way: "ask for less at once, or filter the fetched objects")
        }
    }
}
