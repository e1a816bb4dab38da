import StoreModel

/// What a uniqueness constraint can be over: attributes and to-ones, for only these have one column, which an index needs.
enum SchemaConstraints {
    /// - Throws: `StoreError` `ModelUnreadable`, naming what of which entity cannot be unique.
    static func require(_ model: ModelDescription) throws {
        for entity in model.entities {
            for constraint in entity.uniquenessConstraints {
                let text = constraint.joined(separator: ", ")
                func refuse(_ why: String, _ way: String) -> StoreError {
                    StoreError(
                        .modelUnreadable, "the uniqueness constraint (\(text)) of \(entity.name) \(why)", way: way)
                }
                guard !constraint.isEmpty else { throw refuse("names no property", "name one, or remove it") }
                for name in constraint {
                    if let problem = problem(name, entity.name, model) { throw refuse(problem.why, problem.way) }
                }
            }
        }
    }

    private static func problem(
        _ name: String, _ entity: String, _ model: ModelDescription
    ) -> (why: String, way: String)? {
        let attributes = model.attributes(of: entity)
        let relationships = model.relationships(of: entity)
        if let attribute = attributes.first(where: { $0.name == name }) {
            if attribute.isTransient {
                return ("names \(name), which is transient: the store has no values of it", "remove it")
            }
            return attribute.isComposite
                ? ("names \(name), which is a composite and has no column of its own", "use a plain attribute") : nil
        }
        if let relationship = relationships.first(where: { $0.name == name }) {
            if relationship.isTransient {
                return ("names \(name), which is transient: the store has no values of it", "remove it")
            }
            return relationship.isToMany
                ? ("names \(name), which is a to-many relationship and has no column", "remove it") : nil
        }
        let head = name.split(separator: ".").first.map(String.init) ?? name
        if head != name, attributes.contains(where: { $0.name == head && $0.isComposite }) {
            return ("names \(name), an element of a composite", "use a plain attribute")
        }
        let nearest = NearestName.of(name, among: (attributes.map(\.name) + relationships.map(\.name)))
        return (
            "names \(name), which is no property of it", nearest.map { "did you mean \($0)?" } ?? "correct or remove it"
        )
    }
}
