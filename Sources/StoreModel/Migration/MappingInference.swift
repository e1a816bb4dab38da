/// Infers how a store of one model becomes a store of another, by the rules that Core Data has for lightweight migration.
///
/// Entities and properties are the same where the destination's renaming identifier is the source's name or identifier,
/// else where the names are equal. What these rules do not reach is refused, never guessed.
public struct MappingInference {
    let source: ModelDescription
    let destination: ModelDescription
    let entities: RenamingMatch
    var result: InferredMapping

    /// The mapping from one model to another, with its refusals.
    public static func infer(_ source: ModelDescription, _ destination: ModelDescription) -> InferredMapping {
        var inference = MappingInference(source, destination)
        inference.run()
        return inference.result
    }

    private init(_ source: ModelDescription, _ destination: ModelDescription) {
        self.source = source
        self.destination = destination
        entities = RenamingMatch(
            source.entities.map { ($0.name, $0.renamingIdentifier) },
            destination.entities.map { ($0.name, $0.renamingIdentifier) })
        result = InferredMapping(source: source, destination: destination)
    }

    private mutating func run() {
        for entity in destination.numberedEntities {
            guard let old = entities.oldByNew[entity.name].flatMap({ source[$0] }) else {
                if let conflict = entities.conflicts[entity.name] { refuse(conflict, entity.name, nil) }
                result.entities.append(EntityMapping(source: nil, destination: entity.name))
                step(.add, entity.name, nil, entity.superentityName.map { "child of \($0)" } ?? "")
                continue
            }
            var mapping = EntityMapping(source: old.name, destination: entity.name)
            describe(old, entity)
            mapAttributes(old, entity, &mapping)
            mapRelationships(old, entity, &mapping)
            result.entities.append(mapping)
        }
        checkHierarchies()
        checkInverses()
        for entity in source.numberedEntities where entities.newByOld[entity.name] == nil {
            result.removedEntities.append(entity.name)
            step(.remove, entity.name, nil, "its objects go")
        }
        describeProperties()
    }

    mutating func step(_ kind: MappingStep.Kind, _ entity: String, _ property: String?, _ detail: String) {
        let step = MappingStep(kind: kind, entity: entity, property: property, detail: detail)
        if !result.steps.contains(step) { result.steps.append(step) }
    }

    mutating func refuse(
        _ code: MappingRefusal.Code, _ entity: String, _ property: String?, _ reason: String, way: String
    ) {
        let refusal = MappingRefusal(code, entity, property, reason, way: way)
        if !result.refusals.contains(refusal) { result.refusals.append(refusal) }
    }

    /// Whose values go where cannot be told, and nothing else about the item can be judged.
    mutating func refuse(_ conflict: RenamingMatch.Conflict, _ entity: String, _ property: String?) {
        refuse(
            .renameAmbiguous, entity, property,
            "its renaming identifier says that it was \(conflict.old), and so does \(conflict.other)'s",
            way:
                "leave the identifier to the one that \(conflict.old)'s \(property == nil ? "objects" : "values") go to"
        )
    }

    private mutating func describe(_ old: EntityDescription, _ new: EntityDescription) {
        if old.name != new.name { step(.rename, new.name, nil, "was \(old.name)") }
        let parent = old.superentityName.map { entities.newByOld[$0] ?? $0 }
        if parent != new.superentityName {
            step(.move, new.name, nil, "from \(parent ?? "a root") to \(new.superentityName ?? "a root")")
        }
        if old.isAbstract != new.isAbstract {
            step(.change, new.name, nil, new.isAbstract ? "is abstract now" : "is no longer abstract")
        }
        for constraint in new.uniquenessConstraints where !old.uniquenessConstraints.contains(constraint) {
            step(.change, new.name, nil, "\(constraint.joined(separator: ", ")) unique now")
        }
        for constraint in old.uniquenessConstraints where !new.uniquenessConstraints.contains(constraint) {
            step(.change, new.name, nil, "\(constraint.joined(separator: ", ")) no longer unique")
        }
    }

    /// A tree has one table and one key counter: two trees that both have objects cannot become one, since their keys
    /// are the same numbers.
    private mutating func checkHierarchies() {
        for root in destination.numberedEntities where root.superentityName == nil {
            var first: (entity: String, root: String)?
            for entity in destination.tree(of: root.name) {
                guard let old = entities.oldByNew[entity.name] else { continue }
                let oldRoot = source.rootName(of: old)
                guard let known = first else {
                    first = (entity.name, oldRoot)
                    continue
                }
                if known.root != oldRoot {
                    refuse(
                        .hierarchiesMerged, entity.name, nil,
                        "it and \(known.entity) had no common parent, and objects of both may have the same keys",
                        way: "give \(entity.name) a tree of its own, or move its objects over in code")
                }
            }
        }
    }

    // MARK: The models' properties

    /// The entity that declares a property which the given one has or inherits; itself where none does.
    static func holder(of property: String, in entity: String, _ model: ModelDescription) -> String {
        model.inheritanceChain(of: entity).last { declaring in
            declaring.attributes.contains { $0.name == property }
                || declaring.relationships.contains { $0.name == property }
        }?.name ?? entity
    }

    /// The entities of the destination's tree that have objects from before: those that come from the source.
    func mappedTree(of entity: String) -> [(old: String, new: String)] {
        destination.tree(of: entity).compactMap { new in entities.oldByNew[new.name].map { ($0, new.name) } }
    }
}
