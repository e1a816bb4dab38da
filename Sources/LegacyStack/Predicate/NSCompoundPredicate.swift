import StoreFormat
import StoreModel

/// Several predicates joined.
open class NSCompoundPredicate: NSPredicate, @unchecked Sendable {
    // Sendable for the reason that NSPredicate gives.

    /// How predicates are joined.
    public enum LogicalType: UInt, Sendable {
        case not = 0
        case and = 1
        case or = 2
    }

    /// How the parts are joined.
    public let compoundPredicateType: LogicalType
    /// The parts.
    public let subpredicates: [Any]

    /// Joins predicates.
    public init(type: LogicalType, subpredicates: [NSPredicate]) {
        compoundPredicateType = type
        self.subpredicates = subpredicates
        let nodes = subpredicates.map(\.node)
        let node: PredicateNode =
            switch type {
            case .not: .not(nodes.first ?? .constant(true))
            case .and: .and(nodes)
            case .or: .or(nodes)
            }
        var block: ((Any?, [String: Any]?) -> Bool)?
        if subpredicates.contains(where: { $0.block != nil }) {
            block = { object, variables in
                func holds(_ part: NSPredicate) -> Bool {
                    part.evaluate(with: object, substitutionVariables: variables)
                }
                switch type {
                case .not: return !(subpredicates.first.map(holds) ?? true)
                case .and: return subpredicates.allSatisfy(holds)
                case .or: return subpredicates.contains(where: holds)
                }
            }
        }
        super.init(node: node, error: subpredicates.lazy.compactMap(\.error).first, block: block)
    }

    /// True where all parts are.
    public convenience init(andPredicateWithSubpredicates parts: [NSPredicate]) {
        self.init(type: .and, subpredicates: parts)
    }

    /// True where any part is.
    public convenience init(orPredicateWithSubpredicates parts: [NSPredicate]) {
        self.init(type: .or, subpredicates: parts)
    }

    /// True where the part is not.
    public convenience init(notPredicateWithSubpredicate part: NSPredicate) {
        self.init(type: .not, subpredicates: [part])
    }
}
