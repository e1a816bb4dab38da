extension MappingInference {
    mutating func mapRelationships(_ old: EntityDescription, _ new: EntityDescription, _ mapping: inout EntityMapping) {
        let before = source.relationships(of: old.name).filter { !$0.isTransient }
        let after = destination.relationships(of: new.name).filter { !$0.isTransient }
        let attributes = Set(source.attributes(of: old.name).filter { !$0.isTransient }.map(\.name))
        let match = RenamingMatch(
            before.map { ($0.name, $0.renamingIdentifier) }, after.map { ($0.name, $0.renamingIdentifier) })
        for relationship in after {
            let name = match.oldByNew[relationship.name]
            mapping.relationships[relationship.name] = .some(name)
            let holder = Self.holder(of: relationship.name, in: new.name, destination)
            if let conflict = match.conflicts[relationship.name] {
                refuse(conflict, holder, relationship.name)
            } else if let was = name.flatMap({ name in before.first { $0.name == name } }) {
                check(was, relationship, holder)
            } else if attributes.contains(relationship.renamingIdentifier ?? relationship.name) {
                refuse(
                    .kindChanged, holder, relationship.name, "it was an attribute, and is a relationship",
                    way: "give it a name and identifier of its own, so that the attribute is removed")
            }
        }
        for relationship in before where match.newByOld[relationship.name] == nil {
            result.removedProperties.append(
                RemovedProperty(
                    entity: old.name, property: relationship.name, name: relationship.name, leaves: [],
                    isRelationship: true))
        }
    }

    private mutating func check(_ old: RelationshipDescription, _ new: RelationshipDescription, _ entity: String) {
        if old.isToMany, !new.isToMany {
            refuse(
                .toManyToToOne, entity, new.name, "it leads to many objects, and is to lead to one",
                way: "add a to-one beside it, and choose the object in code")
        }
        let kept = entities.newByOld[old.destinationEntityName]
        // To lead to a parent is wider: whatever it leads to is still of that kind.
        let isWider = kept.map { destination.inheritanceChain(of: $0).map(\.name) }?.contains(new.destinationEntityName)
        if isWider != true, entities.conflicts[new.destinationEntityName] == nil {
            refuse(
                .destinationChanged, entity, new.name,
                "it leads to \(old.destinationEntityName), and is to lead to \(new.destinationEntityName)",
                way: "add a relationship beside it, and connect the objects in code")
        }
    }

    /// Two ends of one relationship share what connects their objects, so both have to come from the same two ends, or
    /// from one of them.
    mutating func checkInverses() {
        for entity in destination.numberedEntities {
            for relationship in entity.relationships where !relationship.isTransient {
                check(relationship, of: entity)
            }
        }
    }

    private mutating func check(_ relationship: RelationshipDescription, of entity: EntityDescription) {
        let ends = sources(of: relationship.name, in: entity.name)
        let isNew = ends.isEmpty
        guard let inverse = relationship.inverseName else { return checkRequired(relationship, entity, isNew, true) }
        let back = sources(of: inverse, in: relationship.destinationEntityName)
        checkRequired(relationship, entity, isNew, back.isEmpty)
        let isReflexive = inverse == relationship.name && relationship.destinationEntityName == entity.name
        for end in ends {
            guard let was = source.relationships(of: end.entity).first(where: { $0.name == end.name }) else { continue }
            let other = was.inverseName.map { name in
                End(entity: Self.holder(of: name, in: was.destinationEntityName, source), name: name)
            }
            guard isReflexive ? other != end : !back.isEmpty && !back.contains(where: { $0 == other }) else { continue }
            refuse(
                .inverseChanged, entity.name, relationship.name,
                isReflexive
                    ? "it becomes its own inverse"
                    : "its inverse becomes \(relationship.destinationEntityName).\(inverse), which was a relationship apart",
                way: "add a relationship beside it, and connect the objects in code")
        }
    }

    /// A new relationship is empty, unless it is the other way of one that was there.
    private mutating func checkRequired(
        _ relationship: RelationshipDescription, _ entity: EntityDescription, _ isNew: Bool, _ isEmpty: Bool
    ) {
        guard isNew, isEmpty, !mappedTree(of: entity.name).isEmpty,
            !relationship.isOptional && !(relationship.isToMany && relationship.minCount == 0),
            !result.refusals.contains(where: {
                $0.code == .renameAmbiguous && $0.entity == entity.name && $0.property == relationship.name
            })
        else { return }
        refuse(
            .noDefault, entity.name, relationship.name,
            "it is new and mandatory, and the objects that are there have none",
            way: "make it optional")
    }

    private struct End: Hashable {
        var entity: String
        var name: String
    }

    /// The source's relationships, by the entity that declares them, which a relationship of the destination has been for
    /// the objects that are there.
    private func sources(of name: String, in entity: String) -> Set<End> {
        Set(
            mappedTree(of: entity).compactMap { old, new in
                guard let was = result.entity(new)?.relationships[name] ?? nil else { return nil }
                return End(entity: Self.holder(of: was, in: old, source), name: was)
            })
    }
}
