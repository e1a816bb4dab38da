import Bridge
import Foundation
import StoreFormat
import Varlink

extension Requests {
    /// Compares an entity's objects, or a sample of them, through both stacks.
    func compare(
        _ parameters: JSONObject, _ cancellation: Cancellation, progress: (JSONObject) -> Void
    ) throws -> JSONObject {
        let entity = try store.layout.entity(parameters["entity"]?.stringValue ?? "")
        let sample = parameters["sample"]?.intValue
        guard sample ?? 1 > 0 else {
            throw StoreError(.refused, "a sample of \(sample ?? 0) objects shows nothing", way: "give a number from 1")
        }
        var pace = Pace()
        let result = try bridge.compare(entity.name, sample: sample) { state in
            try cancellation.check("the comparison of \(entity.name)")
            guard pace.isDue() else { return }
            progress([
                "entity": .string(entity.name), "rows": JSON(state.done), "differing": 0, "differences": [],
                "progress": Self.json(state),
            ])
        }
        return [
            "entity": .string(entity.name), "rows": JSON(result.rows), "differing": JSON(result.differing),
            "differences": .array(result.differences.map(difference)),
        ]
    }

    static func json(_ progress: Comparison.Progress) -> JSON {
        ["done": JSON(progress.done), "total": JSON(progress.total)]
    }

    private func difference(_ difference: Comparison.Difference) -> JSON {
        [
            "id": .string(difference.object.uri(storeUUID: store.uuid)),
            "property": difference.property.map { .string($0) } ?? .null,
            "legacy": value(difference.legacy, of: difference.object),
            "model": value(difference.model, of: difference.object),
        ]
    }

    /// What a stack reads; an object that it has, where the other has none, as its URI.
    private func value(_ value: ComparedValue, of object: ObjectReference) -> JSON {
        switch value {
        case .noObject, .noProperty: .null
        case .object: .string(object.uri(storeUUID: store.uuid))
        case .entity(let name): .string(name)
        case .version(let number): .integer(number)
        case .value(let value): json.value(value)
        case .relationship(let value): json.relationship(value)
        }
    }
}

/// Lets through what comes at most ten times a second.
struct Pace {
    private var last = ContinuousClock.now

    /// Whether a tenth of a second has passed since the last time that it was due, or since the beginning.
    mutating func isDue() -> Bool {
        guard last.duration(to: .now) > .milliseconds(100) else { return false }
        last = .now
        return true
    }
}
