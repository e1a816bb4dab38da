/// Entities that have one owner, and move together, with what holds them together.
public struct OwnershipUnit: Sendable, Hashable {
    /// A one-to-one pair of relationships between two trees: both rows hold a key, so one save writes both.
    public struct Pair: Sendable, Hashable {
        /// The entity that declares the relationship.
        public var entity: String
        /// The relationship.
        public var property: String
        /// The entity at its other end.
        public var other: String
        /// The relationship back.
        public var inverse: String

        /// A pair.
        public init(entity: String, property: String, other: String, inverse: String) {
            self.entity = entity
            self.property = property
            self.other = other
            self.inverse = inverse
        }

        var turned: Pair { Pair(entity: other, property: inverse, other: entity, inverse: property) }
    }

    /// The name: that of its root entity with the lowest number.
    public var name: String
    /// Its entities, by name in byte order.
    public var entities: [String] = []
    /// The inheritance trees of more than one entity in it, by root: a tree has one table.
    public var trees: [[String]] { byRoot.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] } }
    /// The pairs that join its trees.
    public var pairs: [Pair] = []
    private var byRoot: [String: [String]] = [:]

    init(name: String) { self.name = name }

    mutating func add(_ entity: String, root: String) {
        entities.append(entity)
        // The root leads.
        byRoot[root, default: []].insert(entity, at: entity == root ? 0 : byRoot[root]?.count ?? 0)
    }
}
