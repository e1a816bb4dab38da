extension MappingInference {
    mutating func mapAttributes(_ old: EntityDescription, _ new: EntityDescription, _ mapping: inout EntityMapping) {
        let before = source.attributes(of: old.name).filter { !$0.isTransient }
        let after = destination.attributes(of: new.name).filter { !$0.isTransient }
        let relationships = Set(source.relationships(of: old.name).filter { !$0.isTransient }.map(\.name))
        let match = RenamingMatch(
            before.map { ($0.name, $0.renamingIdentifier) }, after.map { ($0.name, $0.renamingIdentifier) })
        for attribute in after {
            let name = match.oldByNew[attribute.name]
            let was = name.flatMap { name in before.first { $0.name == name } }
            let holder = Self.holder(of: attribute.name, in: new.name, destination)
            if let conflict = match.conflicts[attribute.name] {
                refuse(conflict, holder, attribute.name)
                let leaves = attribute.leaves.map { _ in AttributeMapping.Leaf() }
                mapping.attributes.append(AttributeMapping(name: attribute.name, source: nil, leaves: leaves))
                continue
            }
            let identity = attribute.renamingIdentifier ?? attribute.name
            if was == nil, relationships.contains(identity) {
                refuse(
                    .kindChanged, holder, attribute.name, "it was a relationship, and is an attribute",
                    way: "give it a name and identifier of its own, so that the relationship is removed")
            }
            let leaves = mapLeaves(was, attribute, holder, attribute.name, isRequired: !attribute.isOptional)
            mapping.attributes.append(AttributeMapping(name: attribute.name, source: was?.name, leaves: leaves))
            if let was { noteLostLeaves(was, attribute, leaves, old.name) }
        }
        for attribute in before where match.newByOld[attribute.name] == nil && !attribute.isDerived {
            result.removedProperties.append(
                RemovedProperty(
                    entity: old.name, property: attribute.name, name: attribute.name,
                    leaves: Array(attribute.leaves.indices), isRelationship: false))
        }
    }

    /// - Parameter isRequired: whether rows that are there need a value.
    private mutating func mapLeaves(
        _ old: AttributeDescription?, _ new: AttributeDescription, _ entity: String, _ path: String, isRequired: Bool
    ) -> [AttributeMapping.Leaf] {
        guard let old else { return added(new, entity, path, isRequired) }
        guard old.type == new.type else {
            refuse(
                .typeChanged, entity, path, "its type changes from \(old.type) to \(new.type)",
                way: "add an attribute of the new type beside it, and convert the values in code")
            return new.leaves.map { _ in .init() }
        }
        if new.isComposite { return mapElements(old, new, entity, path) }
        var leaf = AttributeMapping.Leaf(source: 0)
        if old.allowsExternalBinaryDataStorage != new.allowsExternalBinaryDataStorage {
            leaf.storage = new.allowsExternalBinaryDataStorage ? .toExternal : .fromExternal
        }
        if old.isOptional, isRequired, !new.isDerived {
            leaf.fill = new.defaultValue
            if new.defaultValue == nil {
                refuse(
                    .noDefault, entity, path, "it is mandatory now, and has no default for objects without a value",
                    way: "give it a default, or leave it optional")
            }
        }
        return [leaf]
    }

    private mutating func added(
        _ new: AttributeDescription, _ entity: String, _ path: String, _ isRequired: Bool
    ) -> [AttributeMapping.Leaf] {
        if new.isComposite {
            return new.elements.flatMap {
                added($0, entity, "\(path).\($0.name)", isRequired && !$0.isOptional)
            }
        }
        if isRequired, new.defaultValue == nil, !new.isDerived {
            refuse(
                .noDefault, entity, path, "it is new and mandatory, and has no default for the objects that are there",
                way: "give it a default, or make it optional")
        }
        return [.init(fill: new.isDerived ? nil : new.defaultValue)]
    }

    private mutating func mapElements(
        _ old: AttributeDescription, _ new: AttributeDescription, _ entity: String, _ path: String
    ) -> [AttributeMapping.Leaf] {
        let match = RenamingMatch(
            old.elements.map { ($0.name, $0.renamingIdentifier) }, new.elements.map { ($0.name, $0.renamingIdentifier) }
        )
        return new.elements.flatMap { element -> [AttributeMapping.Leaf] in
            let name = match.oldByNew[element.name]
            let place = old.elements.firstIndex { $0.name == name }
            let start = old.elements.prefix(place ?? 0).reduce(0) { $0 + $1.leaves.count }
            return mapLeaves(
                place.map { old.elements[$0] }, element, entity, "\(path).\(element.name)",
                isRequired: !new.isOptional && !element.isOptional
            ).map { leaf in
                var leaf = leaf
                leaf.source = leaf.source.map { $0 + start }
                return leaf
            }
        }
    }

    /// Elements of a composite that go, and values that triggers will write over.
    private mutating func noteLostLeaves(
        _ old: AttributeDescription, _ new: AttributeDescription, _ leaves: [AttributeMapping.Leaf], _ entity: String
    ) {
        guard old.type == new.type else { return }
        let kept = new.isDerived && !old.isDerived ? [] : Set(leaves.compactMap(\.source))
        for (place, leaf) in old.leaves.enumerated() where !kept.contains(place) && !old.isDerived {
            result.removedProperties.append(
                RemovedProperty(
                    entity: entity, property: old.isComposite ? "\(old.name).\(leaf.name)" : old.name, name: old.name,
                    leaves: [place], isRelationship: false))
        }
    }
}
