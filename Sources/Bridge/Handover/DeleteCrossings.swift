import StoreFormat

/// The delete rules that reach rows of another owner.
enum DeleteCrossings {
    /// What crosses between a unit and others once units have their new owners, both ways, as `Entity.relationship`.
    /// - Parameters:
    ///   - owners: the new owners, by unit.
    ///   - name: the unit that is looked at.
    static func after(
        handing owners: [String: StackName], register: OwnershipRegister?, layout: StoreLayout, about name: String
    ) -> [String] {
        guard var register else { return [] }
        for (unit, owner) in owners { register.units[unit]?.owner = owner }
        var names: [String] = []
        for entity in layout.entities {
            for relationship in entity.relationships where relationship.declaringEntity == entity.name {
                let ends = [entity.name, relationship.description.destinationEntityName]
                    .compactMap(register.unit(ofEntity:))
                guard ends.count == 2, ends[0].owner != ends[1].owner, ends.contains(where: { $0.name == name })
                else { continue }
                if writesOtherEnd(relationship) { names.append("\(entity.name).\(relationship.name)") }
            }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Whether a delete has to write a row at the other end. Pairs in a join table go with their object, a denied delete
    /// writes nothing, and what has no inverse is cleared where it holds the deleted object's key.
    private static func writesOtherEnd(_ relationship: RelationshipLayout) -> Bool {
        switch (relationship.description.deleteRule, relationship.storage) {
        case (.cascade, _): true
        case (.nullify, .toManyByInverse), (.nullify, .toManyWithoutInverse): true
        default:
            // A delete of the destination clears this key.
            if case .toOne = relationship.storage { relationship.description.inverseName == nil } else { false }
        }
    }
}
