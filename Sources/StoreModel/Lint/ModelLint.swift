/// The work behind ``ModelDescription/warnings()``.
struct ModelLint {
    let model: ModelDescription

    init(_ model: ModelDescription) {
        self.model = model
    }

    func warnings() -> [ModelWarning] {
        var result = modelWarnings()
        for entity in model.entities.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            result += entityWarnings(entity)
            for attribute in entity.attributes { result += warnings(attribute, of: entity.name) }
            for relationship in entity.relationships { result += warnings(relationship, of: entity.name) }
            for property in entity.fetchedProperties {
                result += warnings(property.request, entity: entity.name, property: property.name)
            }
            if usesCloudKit { result += cloudWarnings(entity) }
        }
        return result
    }

    private func modelWarnings() -> [ModelWarning] {
        var result: [ModelWarning] = []
        for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
            for member in members where model[member] == nil {
                result.append(
                    .init(.unknownEntity, "has configuration \(name) with \(member), which is no entity of it"))
            }
        }
        for request in model.fetchRequestTemplates { result += warnings(request, entity: "", property: nil) }
        return result
    }

    private func warnings(_ request: FetchRequestTemplate, entity: String, property: String?) -> [ModelWarning] {
        var result: [ModelWarning] = []
        let what = property == nil ? "has fetch request \(request.name), whose" : "has a fetch request whose"
        if model[request.entityName] == nil {
            result.append(
                .init(
                    .unknownEntity, entity: entity, property: property,
                    "\(what) entity \(request.entityName) is not there")
            )
        }
        for format in [request.predicateFormat, request.havingPredicateFormat] {
            guard let reason = unreadable(format) else { continue }
            result.append(
                .init(
                    .unreadablePredicate, entity: entity, property: property,
                    "\(what) predicate cannot be read: \(reason)"))
        }
        return result
    }

    /// Why a predicate cannot be read; nil where it can, or where there is none.
    func unreadable(_ format: String?) -> String? {
        guard let format else { return nil }
        do {
            let part = try PredicateNode.parse(format).archivedPart
            return part.map { "only Apple's frameworks evaluate the \($0.className) in it" }
        } catch {
            return "\(error)"
        }
    }

    private func entityWarnings(_ entity: EntityDescription) -> [ModelWarning] {
        var result: [ModelWarning] = []
        let attributes = Set(model.attributes(of: entity.name).map(\.name))
        let relationships = Set(model.relationships(of: entity.name).map(\.name))
        func check(_ names: [String], _ what: String) {
            for name in names where !attributes.contains(name) && !relationships.contains(name) {
                // An element of a composite is named by its path.
                let head = name.split(separator: ".").first.map(String.init) ?? name
                guard head == name || !attributes.contains(head) else { continue }
                result.append(
                    .init(.unknownProperty, entity: entity.name, "has \(what) over \(name), which is no property of it")
                )
            }
        }
        for constraint in entity.uniquenessConstraints { check(constraint, "a uniqueness constraint") }
        for index in entity.compoundIndexes { check(index, "a compound index") }
        for index in entity.fetchIndexes {
            check(index.elements.filter { !$0.isExpression }.map(\.property), "index \(index.name)")
            if let reason = unreadable(index.partialIndexPredicateFormat) {
                result.append(
                    .init(
                        .unreadablePredicate, entity: entity.name,
                        "has index \(index.name) with a predicate that cannot be read: \(reason)"))
            }
        }
        let inherited = Set(
            model.inheritanceChain(of: entity.name).dropLast().flatMap { ancestor in
                ancestor.attributes.map(\.name) + ancestor.relationships.map(\.name)
                    + ancestor.fetchedProperties.map(\.name)
            })
        let own =
            entity.attributes.map(\.name) + entity.relationships.map(\.name) + entity.fetchedProperties.map(\.name)
        for name in own where inherited.contains(name) {
            result.append(
                .init(.redeclared, entity: entity.name, property: name, "is declared by an ancestor as well"))
        }
        return result
    }
}
