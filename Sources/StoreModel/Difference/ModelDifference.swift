/// Compares two models property by property, and says what each difference means for a store of the first.
public enum ModelDifference {
    /// What a difference asks of a store of model `a` that is to be opened with model `b`.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Nothing: the version hash does not depend on it.
        case sameHash
        /// The version hash changes, and lightweight migration takes the store there.
        case lightweight
        /// Lightweight migration cannot decide what to write: a custom stage must.
        case needsCustomStage
        /// Values that are in the store have no place afterwards.
        case losesData
    }

    /// One difference.
    public struct Difference: Sendable, Hashable, CustomStringConvertible {
        /// The entity, by its name in `b` where it is there, else in `a`; empty for what belongs to the model as a whole.
        public var entity: String
        /// The property, or nil if it is about the entity; a composite's element as `attribute.element`.
        public var property: String?
        /// What differs: `added`, `removed`, `renamed`, `type`, `optional` …
        public var what: String
        /// What `a` says, or nil where it says nothing.
        public var a: String?
        /// What `b` says.
        public var b: String?
        /// What the difference asks of a store of model `a`.
        public var kind: Kind

        /// Makes a difference.
        public init(entity: String, property: String? = nil, what: String, a: String?, b: String?, kind: Kind) {
            self.entity = entity
            self.property = property
            self.what = what
            self.a = a
            self.b = b
            self.kind = kind
        }

        /// The difference in one line: place, what differs, both sides and the kind.
        public var description: String {
            let place = property.map { "\(entity).\($0)" } ?? (entity.isEmpty ? "the model" : entity)
            return "\(place): \(change) (\(kind.rawValue))"
        }

        private var change: String {
            switch (a, b) {
            // What an entity is, its name says already.
            case (let one?, nil) where what == "removed", (nil, let one?) where what == "added":
                property == nil ? what : "\(what), \(one)"
            default: "\(what) \(a ?? "nothing") → \(b ?? "nothing")"
            }
        }
    }

    /// All differences from `a` to `b`, by entity and property. Entities and properties that `b` renamed are compared with
    /// what they were in `a`, by their renaming identifiers. What only the model editor reads is left out.
    public static func between(_ a: ModelDescription, _ b: ModelDescription) -> [Difference] {
        ModelComparison(a, b).differences()
    }

    /// The differences that change a version hash: why a store made with `a` does not open with `b`.
    public static func changingHashes(_ a: ModelDescription, _ b: ModelDescription) -> [Difference] {
        between(a, b).filter { $0.kind != .sameHash }
    }
}
