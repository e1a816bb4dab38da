import StoreModel

/// A derivation whose triggers are known (Format, section 5).
enum DerivationForm: Hashable {
    /// `relationship.@count` over a to-many whose inverse is a to-one of the destination.
    case count(destination: String, inverse: String)
    /// `relationship.attribute` over a to-one.
    case value(relationship: String, destination: String, attribute: String)

    /// Nil for a derivation of another form.
    init?(_ attribute: AttributeDescription, of entity: String, in model: ModelDescription) {
        guard let derivation = attribute.derivation, derivation.filteringPredicateFormat == nil else { return nil }
        let path = derivation.format.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard path.count == 2,
            let relationship = model.relationships(of: entity).first(where: { $0.name == path[0] }),
            !relationship.isTransient
        else { return nil }
        let destination = relationship.destinationEntityName
        if path[1] == "@count" {
            guard relationship.isToMany, let inverse = relationship.inverseName,
                let back = model.relationships(of: destination).first(where: { $0.name == inverse }), !back.isToMany
            else { return nil }
            self = .count(destination: destination, inverse: inverse)
        } else {
            guard !relationship.isToMany,
                model.attributes(of: destination).contains(where: {
                    $0.name == path[1] && !$0.isTransient && !$0.isComposite
                })
            else { return nil }
            self = .value(relationship: relationship.name, destination: destination, attribute: path[1])
        }
    }
}
