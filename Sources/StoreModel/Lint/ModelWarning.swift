/// Something that a model may say, but that its author hardly meant: what Xcode's model compiler warns of.
public struct ModelWarning: Sendable, Hashable, CustomStringConvertible {
    /// What kind of thing is odd.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A relationship without an inverse.
        case noInverse
        /// An inverse that leads to another relationship, or to another entity.
        case inverseLeadsElsewhere
        /// A relationship whose deletion leaves keys that lead nowhere.
        case noActionRule
        /// Counts that no object can have.
        case impossibleCounts
        /// An order of a relationship that has at most one object.
        case orderedToOne
        /// A mandatory attribute of a type that has no natural start, without a default.
        case mandatoryWithoutDefault
        /// A default or bound that is no value of the attribute's type.
        case valueOfAnotherType
        /// A stored attribute without a type.
        case undefinedType
        /// A transformable whose archive may hold objects of any class.
        case insecureTransformer
        /// A value that a deletion is to keep, and that may lie in a file of its own, which goes with the object.
        case preservedOutside
        /// A property that an ancestor declares as well.
        case redeclared
        /// A constraint or an index over what is no property.
        case unknownProperty
        /// A configuration or request that names an entity that is not there.
        case unknownEntity
        /// A predicate or expression that cannot be read.
        case unreadablePredicate
        /// Something that a store that syncs with CloudKit cannot have.
        case notForCloudKit
    }

    /// What kind of thing is odd.
    public var code: Code
    /// The entity; empty where it is about the model as a whole.
    public var entity: String
    /// The property; nil where it is about the entity or the model.
    public var property: String?
    /// What is odd, in words.
    public var message: String

    /// Makes a warning.
    public init(_ code: Code, entity: String = "", property: String? = nil, _ message: String) {
        self.code = code
        self.entity = entity
        self.property = property
        self.message = message
    }

    /// The warning in one line, with its place in front.
    public var description: String {
        let place = property.map { "\(entity).\($0)" } ?? (entity.isEmpty ? "the model" : entity)
        return "\(place) \(message)"
    }
}

extension ModelDescription {
    /// What Xcode's model compiler would warn of, by entity and property.
    public func warnings() -> [ModelWarning] { ModelLint(self).warnings() }
}
