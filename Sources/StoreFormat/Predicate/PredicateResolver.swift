import StoreModel

/// Checks a predicate against the entity that it is about, and brings it into the plain form that both stacks compile and
/// evaluate. So what is wrong with it is found before any SQL is run, and is the same error in both.
///
/// In the plain form every key leads somewhere, every constant has the type of what it is compared with, objects are named
/// by their URI, NOT stands before comparisons only, options stand with texts only, and of the spellings that mean the same
/// one is left: `tags CONTAINS x` and `x IN tags` are `ANY tags == x`, a composite's comparison with nil is that of all of
/// its elements, `count:(tags)` is `tags.@count`.
public struct PredicateResolver {
    let store: Store
    /// The entities that the variables stand for.
    var variables: [String: EntityLayout] = [:]
    let effort = PredicateEffort()

    /// The plain form of a predicate about objects of an entity.
    /// - Throws: `StoreError`: `UnknownEntity`; `UnknownKey`, with the nearest name; `TypeMismatch` where values can never
    ///   be compared; `UnknownObject` and `OtherStore` for an object that is none here; `BadPredicate` for the rest,
    ///   predicates that are too large among it.
    public static func resolve(_ node: PredicateNode, entity: String, in store: Store) throws -> PredicateNode {
        let layout = try store.layout.entity(entity)
        if let excess = node.excess {
            throw StoreError(.badPredicate, excess, way: "ask for less at once, or filter the fetched objects")
        }
        return try PredicateResolver(store: store).resolve(node, layout, isNegated: false)
    }

    static func unsupported(_ what: String, _ way: String = "leave it out, and filter the fetched objects")
        -> StoreError
    {
        StoreError(.badPredicate, what, way: way)
    }

    func resolve(_ node: PredicateNode, _ entity: EntityLayout, isNegated: Bool) throws -> PredicateNode {
        switch node {
        case .constant(let value): return .constant(value != isNegated)
        case .not(let inner): return try resolve(inner, entity, isNegated: !isNegated)
        case .and(let parts): return try join(parts, isAnd: !isNegated, entity, isNegated)
        case .or(let parts): return try join(parts, isAnd: isNegated, entity, isNegated)
        case .comparison(let comparison):
            let plain = try resolve(comparison, entity)
            return isNegated ? Self.negated(plain) : plain
        }
    }

    /// A predicate is true or false, never undecided: so NOT goes over AND and OR.
    private static func negated(_ node: PredicateNode) -> PredicateNode {
        switch node {
        case .constant(let value): .constant(!value)
        case .not(let inner): inner
        case .and(let parts): .or(parts.map { negated($0) })
        case .or(let parts): .and(parts.map { negated($0) })
        case .comparison: .not(node)
        }
    }

    /// Conjunctions inside conjunctions become one.
    private func join(
        _ parts: [PredicateNode], isAnd: Bool, _ entity: EntityLayout, _ isNegated: Bool
    ) throws -> PredicateNode {
        var joined: [PredicateNode] = []
        for part in parts {
            switch try resolve(part, entity, isNegated: isNegated) {
            case .and(let inner) where isAnd: joined += inner
            case .or(let inner) where !isAnd: joined += inner
            case let other: joined.append(other)
            }
        }
        switch joined.count {
        case 0: return .constant(isAnd)
        case 1: return joined[0]
        default: return isAnd ? .and(joined) : .or(joined)
        }
    }
}
