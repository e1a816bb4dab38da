/// Says of differences what migration makes of them, by the mapping that migration goes by: what is refused there needs a
/// custom stage here, and what is lost there is lost here.
struct MigrationJudgement {
    private let mapping: InferredMapping

    init(_ a: ModelDescription, _ b: ModelDescription) {
        mapping = MappingInference.infer(a, b)
    }

    /// The differences that a refusal is about, the first of them also where no difference stands for it.
    private static func whats(_ code: MappingRefusal.Code) -> [String] {
        switch code {
        case .typeChanged: ["type"]
        case .noDefault: ["optional", "added", "transient", "derivation"]
        case .kindChanged, .renameAmbiguous: ["added"]
        case .toManyToToOne: ["toMany"]
        case .destinationChanged: ["destination"]
        case .inverseChanged: ["inverse"]
        case .hierarchiesMerged: ["parent"]
        // These are found in rows only.
        case .badDefault, .entityAbstract, .valueMissing, .notUnique, .dataLoss, .unitsMerged, .frozen, .foreignContent:
            ["rows"]
        }
    }

    /// - Parameter differences: those that change a hash are `lightweight`.
    func judged(_ differences: [ModelDifference.Difference]) -> [ModelDifference.Difference] {
        var result = differences
        for refusal in mapping.refusals {
            let whats = Self.whats(refusal.code)
            let places = result.indices.filter {
                result[$0].entity == refusal.entity && result[$0].property == refusal.property
                    && whats.contains(result[$0].what) && result[$0].kind != .sameHash
            }
            for place in places { result[place].kind = .needsCustomStage }
            guard places.isEmpty else { continue }
            result.append(
                .init(
                    entity: refusal.entity, property: refusal.property, what: whats[0], a: nil, b: refusal.reason,
                    kind: .needsCustomStage))
        }
        for name in mapping.removedEntities {
            for place in result.indices
            where result[place].entity == name && result[place].property == nil && result[place].what == "removed" {
                result[place].kind = .losesData
            }
        }
        for removed in mapping.removedProperties where mapping.losesValues(removed) { mark(removed, in: &result) }
        return result
    }

    private static let losing: Set<String> = ["removed", "transient", "derivation"]

    private func mark(_ removed: RemovedProperty, in result: inout [ModelDifference.Difference]) {
        let entities = mapping.destinationBySource
        // An inherited property is told of at the entity that declares it.
        let holder = MappingInference.holder(of: removed.name, in: removed.entity, mapping.source)
        let names = [removed.entity, holder].map { entities[$0] ?? $0 }
        let places = result.indices.filter {
            names.contains(result[$0].entity) && result[$0].property == removed.property
                && Self.losing.contains(result[$0].what) && result[$0].kind != .sameHash
        }
        for place in places { result[place].kind = .losesData }
        guard places.isEmpty else { return }
        result.append(
            .init(
                entity: names[0], property: removed.property, what: "removed", a: removed.name, b: nil,
                kind: .losesData))
    }
}
