import Foundation
import KeyedArchive

/// A part of a predicate that only Apple's frameworks evaluate, such as a set operation: kept whole, so that nothing of a
/// model is lost.
///
/// Its text is `CAST("its archive in base64", "its class")`; a predicate that is kept so stands as `… == TRUE`.
public struct ArchivedPart: Sendable, Hashable {
    /// The class in the archive, such as `NSSetExpression`.
    public let className: String
    /// The keyed archive of the part with all that it reaches.
    public let archive: Data
    /// Whether the part is a predicate, not an expression.
    public let isPredicate: Bool

    /// Keeps an archived object; nil where it is neither a predicate nor an expression.
    init?(_ object: ArchivedObject, archive: Data) {
        guard let className = object.className else { return nil }
        isPredicate = object.isKind(of: "NSPredicate")
        guard isPredicate || object.isKind(of: "NSExpression") else { return nil }
        self.className = className
        self.archive = archive
    }

    var formatString: String { PredicateCast.format(archive, className) }
}

extension PredicateNode {
    /// The first part that only Apple's frameworks evaluate; nil where the predicate can be evaluated here.
    ///
    /// Predicates that ``PredicateNode/excess`` objects to are not for this.
    public var archivedPart: ArchivedPart? {
        switch self {
        case .constant: nil
        case .not(let inner): inner.archivedPart
        case .and(let parts), .or(let parts): parts.lazy.compactMap(\.archivedPart).first
        case .comparison(let comparison): comparison.left.archivedPart ?? comparison.right.archivedPart
        }
    }
}

extension ExpressionNode {
    var archivedPart: ArchivedPart? {
        switch self {
        case .archived(let part): part
        case .evaluatedObject, .keyPath, .constant, .objectURI, .variable: nil
        case .aggregate(let parts), .function(_, let parts): parts.lazy.compactMap(\.archivedPart).first
        case .subquery(let source, _, let condition, _): source.archivedPart ?? condition.archivedPart
        case .conditional(let condition, let yes, let no):
            condition.archivedPart ?? yes.archivedPart ?? no.archivedPart
        }
    }
}
