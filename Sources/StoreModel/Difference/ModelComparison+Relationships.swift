extension ModelComparison {
    func compareRelationships(
        _ old: EntityDescription, _ new: EntityDescription, _ recorder: inout DifferenceRecorder
    ) {
        let match = RenamingMatch(
            old.relationships.map { ($0.name, $0.renamingIdentifier) },
            new.relationships.map { ($0.name, $0.renamingIdentifier) })
        for relationship in old.relationships where match.newByOld[relationship.name] == nil {
            recorder.property = relationship.name
            if b.relationships(of: new.name).contains(where: { $0.name == relationship.name }) {
                recorder.add("moved", "declared here", "inherited", .lightweight)
            } else {
                recorder.add("removed", relationship.kindText, nil, relationship.presenceKind)
            }
        }
        for relationship in new.relationships {
            recorder.property = relationship.name
            let before = match.oldByNew[relationship.name].flatMap { name in
                old.relationships.first { $0.name == name }
            }
            if let before {
                compare(before, relationship, &recorder)
            } else if a.relationships(of: old.name).contains(where: { $0.name == relationship.name }) {
                recorder.add("moved", "inherited", "declared here", .lightweight)
            } else {
                recorder.add("added", nil, relationship.kindText, relationship.presenceKind)
            }
        }
        recorder.property = nil
    }

    private func compare(
        _ old: RelationshipDescription, _ new: RelationshipDescription, _ recorder: inout DifferenceRecorder
    ) {
        let isStored = !old.isTransient || !new.isTransient
        func kind(_ kind: Kind) -> Kind { isStored ? kind : .sameHash }
        recorder.note("renamed", old.name, new.name, kind(.lightweight))
        recorder.note("transient", old.isTransient, new.isTransient, .lightweight)
        let destination = entities.newByOld[old.destinationEntityName] ?? old.destinationEntityName
        recorder.note("destination", destination, new.destinationEntityName, kind(.lightweight))
        if destination == new.destinationEntityName, old.destinationEntityName != destination {
            recorder.add("destination", old.destinationEntityName, new.destinationEntityName, kind(.lightweight))
        }
        recorder.note("inverse", old.inverseName, new.inverseName, kind(.lightweight))
        recorder.note("toMany", old.isToMany, new.isToMany, kind(.lightweight))
        if old.isToMany == new.isToMany { recorder.note("maxCount", old.maxCount, new.maxCount, kind(.lightweight)) }
        recorder.note("minCount", old.minCount, new.minCount, kind(.lightweight))
        recorder.note("optional", old.isOptional, new.isOptional, kind(.lightweight))
        recorder.note("ordered", old.isOrdered, new.isOrdered, kind(.lightweight))
        recorder.note("versionHashModifier", old.versionHashModifier, new.versionHashModifier, kind(.lightweight))
        recorder.note("deleteRule", old.deleteRule, new.deleteRule, .sameHash)
        recorder.note("spotlight", old.isIndexedBySpotlight, new.isIndexedBySpotlight, .sameHash)
        recorder.note("storedInTruthFile", old.isStoredInTruthFile, new.isStoredInTruthFile, .sameHash)
        recorder.note("userInfo", old.userInfo, new.userInfo, .sameHash)
        recorder.note(
            "renamingIdentifier", old.renamingIdentifier ?? old.name, new.renamingIdentifier ?? new.name, .sameHash)
    }
}

extension RelationshipDescription {
    /// The relationship in a few words.
    fileprivate var kindText: String {
        "\(isOrdered ? "ordered " : "")\(isToMany ? "to-many" : "to-one") \(destinationEntityName)"
            + (isOptional ? " optional" : "")
    }

    /// What it means that the relationship is there, or not.
    fileprivate var presenceKind: ModelDifference.Kind { isTransient ? .sameHash : .lightweight }
}
