extension ModelDescription {
    /// Far deeper than any model; what walks down the tree uses the stack for each level.
    private static let maximumInheritance = 256

    /// Checks that every parent is there and that no entity inherits from itself.
    /// - Throws: ``ModelError/missing(what:place:)``, ``ModelError/inheritanceCycle(entity:)`` or, for a chain of more than
    ///   256 entities, ``ModelError/unsupported(what:place:)``.
    public func checkInheritance() throws(ModelError) {
        for entity in entities {
            var depth = 0
            var current = entity
            while let parent = current.superentityName {
                guard let next = self[parent] else {
                    throw .missing(what: "parent entity \(parent)", place: "entity \(current.name)")
                }
                guard next.name != entity.name else { throw .inheritanceCycle(entity: entity.name) }
                depth += 1
                guard depth <= Self.maximumInheritance else {
                    throw depth > entities.count
                        ? .inheritanceCycle(entity: next.name)
                        : .unsupported(what: "inheritance over \(depth) levels", place: "entity \(entity.name)")
                }
                current = next
            }
        }
    }

    /// A relationship that names what the model does not have.
    struct BrokenReference {
        let entity: String
        let relationship: String
        /// `entity B`, `inverse B.as`.
        let what: String
    }

    /// The first relationship whose destination, or whose inverse in it, is not there.
    var brokenReference: BrokenReference? {
        for entity in entities {
            for relationship in entity.relationships {
                let destination = relationship.destinationEntityName
                func broken(_ what: String) -> BrokenReference {
                    BrokenReference(entity: entity.name, relationship: relationship.name, what: what)
                }
                guard self[destination] != nil else { return broken("entity \(destination)") }
                guard let inverse = relationship.inverseName else { continue }
                guard relationships(of: destination).contains(where: { $0.name == inverse }) else {
                    return broken("inverse \(destination).\(inverse)")
                }
            }
        }
        return nil
    }
}
