extension MappingInference {
    /// What happens to each property, told once: at the entity that declares it.
    mutating func describeProperties() {
        let (result, source) = (result, source)
        for entity in destination.numberedEntities {
            let tree = mappedTree(of: entity.name)
            guard !tree.isEmpty else { continue }
            for attribute in entity.attributes where !attribute.isTransient {
                describe(attribute.name, entity.name, tree) {
                    result.entity($0)?.attribute(attribute.name)?.source
                } added: {
                    Self.text(attribute)
                } changed: { old in
                    source.attributes(of: old.entity).first { $0.name == old.name }.map { Self.changes($0, attribute) }
                        ?? []
                }
            }
            for relationship in entity.relationships where !relationship.isTransient {
                describe(relationship.name, entity.name, tree) {
                    result.entity($0)?.relationships[relationship.name] ?? nil
                } added: {
                    Self.text(relationship)
                } changed: { old in
                    source.relationships(of: old.entity).first { $0.name == old.name }
                        .map { Self.changes($0, relationship) } ?? []
                }
            }
        }
        for removed in result.removedProperties {
            let holder = Self.holder(of: removed.name, in: removed.entity, source)
            // An inherited property that only some of the entities lose is told of at these.
            let all = source.tree(of: holder).map(\.name).filter { entities.newByOld[$0] != nil }
            let isLostByAll = all.allSatisfy { name in
                result.removedProperties.contains { $0.entity == name && $0.property == removed.property }
            }
            step(
                .remove, isLostByAll ? holder : removed.entity, removed.property,
                removed.isRelationship ? "what it connects is no longer connected by it" : "its values go")
        }
    }

    private mutating func describe(
        _ property: String, _ entity: String, _ tree: [(old: String, new: String)], source of: (String) -> String?,
        added: () -> String, changed: ((entity: String, name: String)) -> [String]
    ) {
        var told: Set<String> = []
        for (old, new) in tree {
            guard let name = of(new) else {
                step(.add, entity, property, added())
                continue
            }
            let holder = Self.holder(of: name, in: old, source)
            guard told.insert("\(holder).\(name)").inserted else { continue }
            if name != property { step(.rename, entity, property, "was \(name)") }
            if (entities.newByOld[holder] ?? holder) != entity { step(.move, entity, property, "from \(holder)") }
            for change in changed((old, name)) { step(.change, entity, property, change) }
        }
    }

    private static func text(_ attribute: AttributeDescription) -> String {
        if attribute.isDerived { return "\(attribute.type), derived" }
        let fill = attribute.defaultValue.map { ", default \($0.predicateFormat())" } ?? ""
        return "\(attribute.type)\(attribute.isOptional ? ", optional" : "")\(fill)"
    }

    private static func text(_ relationship: RelationshipDescription) -> String {
        "\(relationship.isOrdered ? "ordered " : "")\(relationship.isToMany ? "to-many" : "to-one"), "
            + relationship.destinationEntityName
    }

    private static func changes(_ old: AttributeDescription, _ new: AttributeDescription) -> [String] {
        var result: [String] = []
        if old.type != new.type { result.append("type \(old.type) to \(new.type)") }
        if old.isOptional, !new.isOptional {
            let fill = new.defaultValue.map { ", \($0.predicateFormat()) where there is no value" } ?? ""
            result.append("mandatory now\(fill)")
        }
        if !old.isOptional, new.isOptional { result.append("optional now") }
        if old.allowsExternalBinaryDataStorage != new.allowsExternalBinaryDataStorage {
            result.append(
                "\(new.allowsExternalBinaryDataStorage ? "may lie" : "no longer lies") in files beside the store")
        }
        if old.preservesValueInHistoryOnDeletion != new.preservesValueInHistoryOnDeletion {
            result.append(
                "\(new.preservesValueInHistoryOnDeletion ? "kept" : "no longer kept") in history after a deletion")
        }
        if old.derivation?.hashDescription != new.derivation?.hashDescription {
            result.append(new.derivation.map { "derived from \($0.format)" } ?? "no longer derived")
        }
        if old.versionHashModifier != new.versionHashModifier { result.append("hash modifier") }
        if old.isComposite, new.isComposite {
            for element in new.elements where !old.elements.contains(where: { $0.name == element.name }) {
                result.append("element \(element.name) added or renamed")
            }
        }
        return result
    }

    private static func changes(_ old: RelationshipDescription, _ new: RelationshipDescription) -> [String] {
        var result: [String] = []
        if old.isToMany != new.isToMany { result.append(new.isToMany ? "to-many now" : "to-one now") }
        if old.isOrdered != new.isOrdered {
            result.append(new.isOrdered ? "ordered now, by key" : "no longer ordered: the order goes")
        }
        if old.isOptional, !new.isOptional { result.append("mandatory now") }
        if !old.isOptional, new.isOptional { result.append("optional now") }
        if old.inverseName == nil, let inverse = new.inverseName { result.append("has the inverse \(inverse) now") }
        if old.inverseName != nil, new.inverseName == nil { result.append("has no inverse any more") }
        if old.versionHashModifier != new.versionHashModifier { result.append("hash modifier") }
        return result
    }
}
