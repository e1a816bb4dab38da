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

    /// A property that an entity declares anew as something else than what it inherits.
    package struct BrokenOverride {
        package let entity: String
        package let property: String
        /// `A.x is an attribute of the type string, but B, which inherits it, declares it as …`.
        package let what: String
    }

    /// The first property that an entity declares anew as something else than what it inherits: both would be one property
    /// of its objects, and one of the two could never hold a value.
    package var brokenOverride: BrokenOverride? {
        for entity in entities where entity.superentityName != nil {
            var inherited: [String: (entity: String, kind: PropertyKind)] = [:]
            for ancestor in inheritanceChain(of: entity.name).dropLast() {
                for (name, kind) in kinds(of: ancestor) { inherited[name] = (ancestor.name, kind) }
            }
            for (name, kind) in kinds(of: entity) {
                guard let other = inherited[name], other.kind.compared != kind.compared else { continue }
                return BrokenOverride(
                    entity: entity.name, property: name,
                    what: "\(other.entity).\(name) is \(other.kind.shown), but \(entity.name), which inherits it, "
                        + "declares \(entity.name).\(name) as \(kind.shown)")
            }
        }
        return nil
    }

    /// What a property is, in words; a relationship may lead to a part of the tree that the inherited one leads to.
    private struct PropertyKind {
        let shown: String
        let compared: String
    }

    private func kinds(of entity: EntityDescription) -> [(String, PropertyKind)] {
        func kind(_ name: String, _ shown: String, comparedAs compared: String? = nil) -> (String, PropertyKind) {
            (name, PropertyKind(shown: shown, compared: compared ?? shown))
        }
        return entity.attributes.map { attribute in
            let how = (attribute.isTransient ? "transient " : "") + (attribute.isDerived ? "derived " : "")
            return kind(attribute.name, "\(how.isEmpty ? "an" : "a") \(how)attribute of the type \(attribute.type)")
        }
            + entity.relationships.map { relationship in
                let how = "a relationship to \(relationship.isToMany ? "many" : "one") of "
                let destination = relationship.destinationEntityName
                return kind(relationship.name, how + destination, comparedAs: how + rootName(of: destination))
            }
            + entity.fetchedProperties.map { kind($0.name, "a fetched property") }
    }
}
