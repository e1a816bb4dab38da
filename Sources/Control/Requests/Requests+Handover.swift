import Bridge
import Foundation
import StoreFormat
import Varlink

extension Requests {
    /// Hands over the unit of each entity; sends each step, and each result.
    func handover(_ parameters: JSONObject, user: String, send: (JSONObject) -> Void) throws {
        let entities = (parameters["entities"]?.arrayValue ?? []).compactMap(\.stringValue)
        let isBack = parameters["back"]?.boolValue ?? false
        let owner = try stack(parameters["to"])
        guard !entities.isEmpty, isBack != (owner != nil) else {
            throw StoreError(
                .refused, "a handover takes entities and one of to and back",
                way: "use --to legacy, --to model or --back")
        }
        var done: Set<String> = []
        for entity in entities where !done.contains(entity) {
            let result = try bridge.handover(
                entity, to: owner, isDryRun: parameters["dryRun"]?.boolValue ?? false, user: user,
                reason: parameters["reason"]?.stringValue
            ) { step in
                send([
                    "step": [
                        "step": .string(step.name.rawValue), "ok": .bool(step.isPassed), "detail": .string(step.detail),
                    ]
                ])
            }
            guard let result else { continue }
            done.formUnion(result.unit)
            send([
                "result": [
                    "entity": .string(result.entity), "unit": .array(result.unit.map { .string($0) }),
                    "owner": .string(result.owner.rawValue), "epoch": .integer(result.epoch),
                    "token": .string(result.token.description),
                ]
            ])
        }
    }

    func freeze(_ parameters: JSONObject) throws -> JSONObject {
        let unit = try bridge.freeze(parameters["entity"]?.stringValue ?? "")
        return ["owners": try owners(of: unit.entities)]
    }

    func thaw(_ parameters: JSONObject) throws -> JSONObject {
        let unit = try bridge.thaw(parameters["entity"]?.stringValue ?? "")
        return ["owners": try owners(of: unit.entities)]
    }
}
