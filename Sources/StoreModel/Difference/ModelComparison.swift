/// The work behind ``ModelDifference/between(_:_:)``: finds what differs, and whether a hash changes by it. What migration
/// makes of that is ``MigrationJudgement``'s to say.
struct ModelComparison {
    typealias Difference = ModelDifference.Difference
    typealias Kind = ModelDifference.Kind

    let a: ModelDescription
    let b: ModelDescription
    let entities: RenamingMatch

    init(_ a: ModelDescription, _ b: ModelDescription) {
        self.a = a
        self.b = b
        entities = RenamingMatch(
            a.entities.map { ($0.name, $0.renamingIdentifier) }, b.entities.map { ($0.name, $0.renamingIdentifier) })
    }

    func differences() -> [Difference] {
        var result: [Difference] = []
        for entity in a.entities where entities.newByOld[entity.name] == nil {
            result.append(Difference(entity: entity.name, what: "removed", a: entity.name, b: nil, kind: .lightweight))
        }
        for entity in b.entities {
            if let old = entities.oldByNew[entity.name].flatMap({ a[$0] }) {
                result += compare(old, entity)
            } else {
                result.append(
                    Difference(entity: entity.name, what: "added", a: nil, b: entity.name, kind: .lightweight))
            }
        }
        var recorder = DifferenceRecorder(entity: "")
        recorder.note("versionIdentifiers", a.versionIdentifiers, b.versionIdentifiers, .sameHash)
        let configurations = Set(a.configurations.keys).union(b.configurations.keys).sorted()
        for name in configurations {
            recorder.note("configuration \(name)", a.configurations[name], b.configurations[name], .sameHash)
        }
        for name in Set((a.fetchRequestTemplates + b.fetchRequestTemplates).map(\.name)).sorted() {
            recorder.note(
                "fetchRequest \(name)", a.fetchRequestTemplates.first { $0.name == name }?.comparable,
                b.fetchRequestTemplates.first { $0.name == name }?.comparable, .sameHash)
        }
        result += recorder.differences
        // Of two models with the same hashes there is nothing to migrate.
        if result.contains(where: { $0.kind != .sameHash }) { result = MigrationJudgement(a, b).judged(result) }
        return result.sorted {
            ($0.entity, $0.property ?? "", $0.what) < ($1.entity, $1.property ?? "", $1.what)
        }
    }

    private func compare(_ old: EntityDescription, _ new: EntityDescription) -> [Difference] {
        var recorder = DifferenceRecorder(entity: new.name)
        recorder.note("renamed", old.name, new.name, .lightweight)
        recorder.note("class", old.className, new.className, .sameHash)
        recorder.note("abstract", old.isAbstract, new.isAbstract, .lightweight)
        recorder.note("versionHashModifier", old.versionHashModifier, new.versionHashModifier, .lightweight)
        let oldParent = old.superentityName.map { entities.newByOld[$0] ?? $0 }
        recorder.note("parent", oldParent, new.superentityName, .lightweight)
        recorder.note(
            "renamingIdentifier", old.renamingIdentifier ?? old.name, new.renamingIdentifier ?? new.name, .sameHash)
        recorder.note("userInfo", old.userInfo, new.userInfo, .sameHash)
        compareConstraints(old, new, &recorder)
        recorder.note("fetchIndexes", old.fetchIndexes.indexTexts, new.fetchIndexes.indexTexts, .sameHash)
        recorder.note("compoundIndexes", old.compoundIndexes, new.compoundIndexes, .sameHash)
        compareAttributes(old, new, &recorder)
        compareRelationships(old, new, &recorder)
        compareFetchedProperties(old, new, &recorder)
        return recorder.differences
    }

    private func compareConstraints(
        _ old: EntityDescription, _ new: EntityDescription, _ recorder: inout DifferenceRecorder
    ) {
        let before = Set(old.uniquenessConstraints)
        let after = Set(new.uniquenessConstraints)
        for constraint in after.subtracting(before).sorted(by: { $0.joined() < $1.joined() }) {
            // Whether rows are equal in it, only the store can tell.
            recorder.add("unique", nil, constraint.joined(separator: ", "), .lightweight)
        }
        for constraint in before.subtracting(after).sorted(by: { $0.joined() < $1.joined() }) {
            recorder.add("unique", constraint.joined(separator: ", "), nil, .lightweight)
        }
    }

    private func compareFetchedProperties(
        _ old: EntityDescription, _ new: EntityDescription, _ recorder: inout DifferenceRecorder
    ) {
        let names = Set((old.fetchedProperties + new.fetchedProperties).map(\.name)).sorted()
        for name in names {
            let before = old.fetchedProperties.first { $0.name == name }
            let after = new.fetchedProperties.first { $0.name == name }
            recorder.property = name
            recorder.note("fetchedProperty", before?.request.comparable, after?.request.comparable, .sameHash)
            guard let before, let after else { continue }
            recorder.note("optional", before.isOptional, after.isOptional, .sameHash)
            recorder.note("versionHashModifier", before.versionHashModifier, after.versionHashModifier, .sameHash)
            recorder.note("userInfo", before.userInfo, after.userInfo, .sameHash)
            recorder.note("renamingIdentifier", before.renamingIdentifier, after.renamingIdentifier, .sameHash)
        }
        recorder.property = nil
    }
}

extension [FetchIndexDescription] {
    /// The indexes as text, by name.
    fileprivate var indexTexts: [String] {
        map { index in
            let elements = index.elements.map { element in
                "\(element.property)\(element.isAscending ? "" : " descending")\(element.kind == .rTree ? " rtree" : "")"
                    + (element.expressionType.map { " \($0)" } ?? "")
            }
            let filter = index.partialIndexPredicateFormat.map { " where \($0)" } ?? ""
            return "\(index.name)(\(elements.joined(separator: ", ")))\(filter)"
        }.sorted()
    }
}

extension FetchRequestTemplate {
    /// The request in one line. Two spellings of a predicate are the same.
    fileprivate var comparable: String {
        func normalized(_ format: String?) -> String? {
            format.map { (try? PredicateNode.parse($0).formatString) ?? $0 }
        }
        let sort = sortDescriptors.map { "\($0.key) \($0.isAscending ? "ascending" : "descending")" }
        var text = "\(entityName) where \(normalized(predicateFormat) ?? "TRUEPREDICATE") by \(sort) "
        text += "limit \(fetchLimit) offset \(fetchOffset)"
        if fetchBatchSize != 0 { text += " by \(fetchBatchSize)" }
        if resultType != 0 { text += " as \(resultType)" }
        if !includesSubentities { text += " without subentities" }
        if !includesPropertyValues { text += " without values" }
        if !includesPendingChanges { text += " without pending changes" }
        if !returnsObjectsAsFaults { text += " with objects filled" }
        if returnsDistinctResults { text += " distinct" }
        if !relationshipKeyPathsForPrefetching.isEmpty { text += " with \(relationshipKeyPathsForPrefetching)" }
        if !propertiesToFetch.isEmpty { text += " fetching \(propertiesToFetch.map(\.comparable))" }
        if !propertiesToGroupBy.isEmpty { text += " grouped by \(propertiesToGroupBy.map(\.comparable))" }
        if let having = normalized(havingPredicateFormat) { text += " having \(having)" }
        return text
    }
}

extension FetchRequestTemplate.FetchedValue {
    fileprivate var comparable: String {
        guard let expressionFormat else { return name }
        return "\(expressionFormat) as \(name)" + (resultType.map { " \($0)" } ?? "")
    }
}
