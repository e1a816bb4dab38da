extension ModelLint {
    /// Types whose values have no natural start, such as 0.
    private static let typesWithoutStart: Set<AttributeType> = [.date, .uuid, .uri]

    /// Transformers that take whatever class an archive names.
    private static let insecureTransformers: Set<String> = [
        "NSUnarchiveFromData", "NSUnarchiveFromDataTransformerName", "NSKeyedUnarchiveFromData",
        "NSKeyedUnarchiveFromDataTransformerName",
    ]

    func warnings(_ attribute: AttributeDescription, of entity: String) -> [ModelWarning] {
        var result: [ModelWarning] = []
        func warn(_ code: ModelWarning.Code, _ message: String) {
            result.append(.init(code, entity: entity, property: attribute.name, message))
        }
        let isPlain = !attribute.isTransient && !attribute.isDerived
        if isPlain, !attribute.isOptional, attribute.defaultValue == nil,
            Self.typesWithoutStart.contains(attribute.type)
        {
            warn(.mandatoryWithoutDefault, "is mandatory and has no default")
        }
        let values = [
            ("default", attribute.defaultValue, attribute.type), ("minimum", attribute.minimum, attribute.boundType),
            ("maximum", attribute.maximum, attribute.boundType),
        ]
        for (what, value, type) in values {
            guard let value, !value.isValue(of: type) else { continue }
            warn(.valueOfAnotherType, "has the \(what) \(value.predicateFormat()), which is no value of type \(type)")
        }
        if isPlain, attribute.type == .undefined { warn(.undefinedType, "is stored, but has no type") }
        if isPlain, attribute.type == .transformable,
            attribute.valueTransformerName.map({ Self.insecureTransformers.contains($0) }) ?? true
        {
            warn(.insecureTransformer, "has no transformer that checks the classes in its archive")
        }
        if isPlain, attribute.preservesValueInHistoryOnDeletion, attribute.allowsExternalBinaryDataStorage {
            warn(
                .preservedOutside,
                "is to be preserved after deletion, and may lie in a file of its own, which goes with the object: history keeps nothing of it"
            )
        }
        for validation in attribute.validations {
            guard let reason = unreadable(validation.predicateFormat) else { continue }
            warn(.unreadablePredicate, "has a rule that cannot be read: \(reason)")
        }
        if let reason = unreadable(attribute.derivation?.filteringPredicateFormat) {
            warn(.unreadablePredicate, "has a derivation whose filter cannot be read: \(reason)")
        }
        return result
    }

    func warnings(_ relationship: RelationshipDescription, of entity: String) -> [ModelWarning] {
        var result: [ModelWarning] = []
        func warn(_ code: ModelWarning.Code, _ message: String) {
            result.append(.init(code, entity: entity, property: relationship.name, message))
        }
        if let inverse = relationship.inverseName {
            if let place = elsewhere(relationship, inverse, of: entity) { warn(.inverseLeadsElsewhere, place) }
        } else if !relationship.isTransient {
            warn(.noInverse, "has no inverse")
        }
        if relationship.deleteRule == .noAction {
            warn(.noActionRule, "has the delete rule No Action, which leaves keys that lead nowhere")
        }
        if relationship.maxCount > 0, relationship.minCount > relationship.maxCount {
            warn(
                .impossibleCounts,
                "asks for at least \(relationship.minCount) and at most \(relationship.maxCount) objects")
        }
        if relationship.isOrdered, !relationship.isToMany { warn(.orderedToOne, "is ordered, but leads to one object") }
        return result
    }

    /// Where the inverse leads if not back here; nil where it does lead back.
    private func elsewhere(_ relationship: RelationshipDescription, _ inverse: String, of entity: String) -> String? {
        let destination = relationship.destinationEntityName
        if let named = relationship.inverseEntityName, !isAncestor(named, of: destination) {
            return "has its inverse in \(named), but leads to \(destination)"
        }
        guard let back = model.relationships(of: destination).first(where: { $0.name == inverse }) else { return nil }
        guard back.inverseName == relationship.name, isAncestor(back.destinationEntityName, of: entity) else {
            let target = back.inverseName.map { "\(back.destinationEntityName).\($0)" } ?? "nothing"
            return "has the inverse \(destination).\(inverse), whose own inverse is \(target)"
        }
        return nil
    }

    /// Whether an entity is `entity` or one that it inherits from.
    private func isAncestor(_ name: String, of entity: String) -> Bool {
        model.inheritanceChain(of: entity).contains { $0.name == name }
    }
}
