extension ModelLint {
    /// Whether the model editor was told that stores of the model sync.
    var usesCloudKit: Bool { ["YES", "true"].contains(model.documentAttributes["usedWithCloudKit"]) }

    /// What a store that syncs cannot have: it must take half of an object, and objects in any order.
    func cloudWarnings(_ entity: EntityDescription) -> [ModelWarning] {
        var result: [ModelWarning] = []
        func warn(_ property: String?, _ message: String) {
            result.append(.init(.notForCloudKit, entity: entity.name, property: property, message))
        }
        if !entity.uniquenessConstraints.isEmpty {
            warn(nil, "has uniqueness constraints, which CloudKit does not know")
        }
        for attribute in entity.attributes where !attribute.isTransient && !attribute.isOptional && !attribute.isDerived
        {
            if attribute.defaultValue == nil { warn(attribute.name, "must be optional or have a default for CloudKit") }
        }
        for relationship in entity.relationships where !relationship.isTransient {
            if !relationship.isOptional { warn(relationship.name, "must be optional for CloudKit") }
            if relationship.isOrdered { warn(relationship.name, "is ordered, which CloudKit does not know") }
            if relationship.inverseName == nil { warn(relationship.name, "must have an inverse for CloudKit") }
            if relationship.deleteRule == .deny {
                warn(relationship.name, "has the delete rule Deny, which CloudKit refuses")
            }
        }
        return result
    }
}
