import StoreModel

extension PredicateResolver {
    /// Follows a key path from an object: its plain form, without steps that lead nowhere, and its type.
    func path(
        _ parts: [String], _ entity: EntityLayout
    ) throws -> (parts: [String], type: PredicateValueType, isDecimal: Bool) {
        var walk = Walk(entity: entity)
        for part in parts {
            if part.hasPrefix("@") {
                try walk.take(operator: part)
            } else if walk.aggregate == "@count" {
                throw StoreError(.unknownKey, "a count has no property \(part)", way: "end the key path with @count")
            } else {
                try step(part, &walk)
            }
        }
        let (plain, type) = try walk.finish()
        return (plain, type, walk.isDecimal && [nil, "@min", "@max"].contains(walk.aggregate))
    }

    /// Where a walk along a key path has got to.
    private struct Walk {
        /// The entity of the object that was reached; nil at a value.
        var entity: EntityLayout?
        var composite: AttributeLayout?
        var parts: [String] = []
        var type: PredicateValueType
        var isDecimal = false
        /// How many to-many relationships lie on the way.
        var toMany = 0
        /// The place behind the first to-many.
        var afterToMany: Int?
        /// `@count` or one of its kin.
        var aggregate: String?

        init(entity: EntityLayout) {
            self.entity = entity
            type = .object(root: entity.rootName)
        }

        mutating func take(operator name: String) throws {
            guard toMany > 0, aggregate == nil else {
                throw unsupported("\(name) needs a to-many relationship before it", "write it as pages.\(name)")
            }
            guard ["@count", "@sum", "@min", "@max", "@avg"].contains(name) else {
                throw unsupported(
                    "\(name) is no operator that a store can compute", "use @count, @sum, @min, @max or @avg")
            }
            guard toMany == 1 else {
                throw unsupported("\(name) is of one to-many relationship, not of several", "ask in a SUBQUERY")
            }
            aggregate = name
        }

        mutating func finish() throws -> (parts: [String], type: PredicateValueType) {
            guard let aggregate else { return (parts, toMany > 0 ? .collection(type) : type) }
            // Behind the relationship, where `tags.pages.@sum` has it behind the key.
            parts.insert(aggregate, at: afterToMany ?? parts.count)
            guard aggregate != "@count" else {
                guard parts.last == "@count" else {
                    throw unsupported(
                        "what is counted must be one to-many relationship", "count it in a SUBQUERY")
                }
                return (parts, .number)
            }
            switch (aggregate, type) {
            case ("@sum", .number), ("@sum", .boolean), ("@avg", .number), ("@avg", .boolean): return (parts, .number)
            case ("@min", .number), ("@min", .boolean), ("@min", .text), ("@min", .date), ("@min", .uuid),
                ("@max", .number), ("@max", .boolean), ("@max", .text), ("@max", .date), ("@max", .uuid):
                return (parts, type)
            case (_, .object), (_, .composite):
                throw unsupported("\(aggregate) needs an attribute behind it", "write it as books.\(aggregate).pages")
            default:
                throw StoreError(
                    .typeMismatch, "\(parts.joined(separator: ".")) is computed of \(type.name)",
                    way: "use an attribute of numbers")
            }
        }

        private func unsupported(_ what: String, _ way: String) -> StoreError {
            PredicateResolver.unsupported(what, way)
        }
    }

    private func step(_ part: String, _ walk: inout Walk) throws {
        if let composite = walk.composite {
            guard let leaf = composite.leaves.first(where: { $0.name == part }) else {
                throw StoreError(
                    .unknownKey, "\(composite.name) has no element \(part)",
                    way: "its elements are \(composite.leaves.map(\.name).joined(separator: ", "))")
            }
            walk.composite = nil
            walk.type = PredicateValueType(leaf)
            walk.isDecimal = leaf.type == .decimal
            walk.parts.append(part)
            return
        }
        guard let entity = walk.entity else {
            throw Self.unsupported(
                "\(walk.parts.joined(separator: ".")) is \(walk.type.name), and has no key \(part)",
                "end the key path before it")
        }
        if let attribute = entity.attribute(part) {
            walk.entity = nil
            walk.parts.append(part)
            if let leaf = attribute.leaf {
                walk.type = PredicateValueType(leaf)
                walk.isDecimal = leaf.type == .decimal
            } else {
                walk.composite = attribute
                walk.type = .composite(attribute.leaves.map { walk.parts + [$0.name] })
            }
        } else if let relationship = entity.relationship(part) {
            try follow(relationship, of: entity, &walk)
        } else if !["self", "SELF", "objectID"].contains(part) {
            throw unknown(part, entity)
        }
    }

    private func follow(
        _ relationship: RelationshipLayout, of entity: EntityLayout, _ walk: inout Walk
    ) throws {
        guard let destination = store.layout[relationship.description.destinationEntityName] else {
            throw Self.unsupported("\(entity.name).\(relationship.name) leads to no entity of the store")
        }
        walk.parts.append(relationship.name)
        if relationship.isToMany {
            guard walk.aggregate == nil else {
                throw Self.unsupported(
                    "\(walk.parts.joined(separator: ".")) goes over several to-many relationships", "ask in a SUBQUERY")
            }
            walk.toMany += 1
            walk.afterToMany = walk.afterToMany ?? walk.parts.count
        } else if case .absent = relationship.storage {
            throw Self.unsupported("\(entity.name).\(relationship.name) has no column in the store")
        }
        walk.entity = destination
        walk.type = .object(root: destination.rootName)
    }

    /// Why a word that names no property cannot be taken for a number that is not finite; nil for any other word.
    private static func notFinite(_ word: String) -> StoreError? {
        switch word.lowercased() {
        case "infinity", "inf":
            StoreError(
                .badPredicate, "\(word) is no number in a predicate without quotes",
                way: "write it in quotes: 'Infinity' or '-Infinity'")
        case "nan":
            StoreError(
                .badPredicate, "\(word) is no value that a store holds",
                way: "look for missing values with == nil")
        default: nil
        }
    }

    private func unknown(_ part: String, _ entity: EntityLayout) -> StoreError {
        if store.model.attributes(of: entity.name).contains(where: { $0.name == part && $0.isTransient }) {
            return Self.unsupported("\(entity.name).\(part) is transient and in no column")
        }
        if let error = Self.notFinite(part) { return error }
        let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
        let nearest = NearestName.of(part, among: names)
        return StoreError(
            .unknownKey, "\(entity.name) has no property \(part)",
            way: nearest.map { "did you mean \($0)?" } ?? "properties: \(names.joined(separator: ", "))")
    }
}
