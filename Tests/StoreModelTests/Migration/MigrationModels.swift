import TestKit

@testable import StoreModel

extension Short {
    static func infer(_ old: [EntityDescription], _ new: [EntityDescription]) -> InferredMapping {
        MappingInference.infer(ModelDescription(entities: old), ModelDescription(entities: new))
    }
}

extension InferredMapping {
    /// The refusals in two words each.
    var refused: [String] { refusals.map { "\($0.place) \($0.code.rawValue)" } }
    /// The steps, without what a person is told beside.
    var told: [String] {
        steps.map { step in "\(step.kind.rawValue) \(step.property.map { "\(step.entity).\($0)" } ?? step.entity)" }
    }
}
