extension PredicateNode {
    /// The greatest depth that a predicate may have: what is walked by recursion must not exhaust a thread's stack.
    public static let maximumDepth = 200
    /// The greatest number of comparisons and expressions that a predicate may have. The constants in a list do not count.
    public static let maximumParts = 20_000

    /// Why the predicate is more than can be compiled or evaluated; nil for one that is not.
    ///
    /// Nothing below the greatest depth is looked at, so asking is safe whatever the predicate is like.
    public var excess: String? {
        var size = PredicateSize()
        size.add(self, depth: 0)
        if size.isTooDeep { return "the predicate is more than \(Self.maximumDepth) levels deep" }
        return size.parts > Self.maximumParts ? "the predicate has more than \(Self.maximumParts) parts" : nil
    }
}

/// Counts the parts of a predicate.
private struct PredicateSize {
    var parts = 0
    var isTooDeep = false

    private mutating func enters(_ depth: Int) -> Bool {
        parts += 1
        if depth > PredicateNode.maximumDepth { isTooDeep = true }
        return !isTooDeep && parts <= PredicateNode.maximumParts
    }

    mutating func add(_ node: PredicateNode, depth: Int) {
        guard enters(depth) else { return }
        switch node {
        case .constant: break
        case .not(let inner): add(inner, depth: depth + 1)
        case .and(let parts), .or(let parts):
            for part in parts { add(part, depth: depth + 1) }
        case .comparison(let comparison):
            add(comparison.left, depth: depth + 1)
            add(comparison.right, depth: depth + 1)
        }
    }

    private mutating func add(_ node: ExpressionNode, depth: Int) {
        if case .constant = node { return }
        guard enters(depth) else { return }
        switch node {
        case .evaluatedObject, .keyPath, .constant, .objectURI, .variable, .archived: break
        case .aggregate(let elements), .function(_, let elements):
            for element in elements {
                if case .objectURI = element { continue }
                add(element, depth: depth + 1)
            }
        case .subquery(let source, _, let condition, _):
            add(source, depth: depth + 1)
            add(condition, depth: depth + 1)
        case .conditional(let condition, let yes, let no):
            add(condition, depth: depth + 1)
            add(yes, depth: depth + 1)
            add(no, depth: depth + 1)
        }
    }
}
