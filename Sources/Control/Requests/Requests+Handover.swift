import Bridge
import Foundation
import StoreFormat
import Varlink

extension Requests {
    /// Hands over the unit of each entity.
    /// - Parameters:
    ///   - cancellation: calls off what is not switched yet.
    ///   - send: takes each step, and each result.
    ///   - progress: takes how far a comparison has got, now and then.
    func handover(
        _ parameters: JSONObject, user: String, _ cancellation: Cancellation, send: (JSONObject) -> Void,
        progress: (JSONObject) -> Void
    ) throws {
        let entities = (parameters["entities"]?.arrayValue ?? []).compactMap(\.stringValue)
        let isBack = parameters["back"]?.boolValue ?? false
        let owner = try stack(parameters["to"])
        guard !entities.isEmpty, isBack != (owner != nil) else {
            throw StoreError(
                .refused, "a handover takes entities and one of to and back",
                way: "use --to legacy, --to model or --back")
        }
        // What can be refused beforehand is, before anything moves.
        let isDryRun = parameters["dryRun"]?.boolValue ?? false
        let units = try bridge.checkHandovers(entities, to: owner, isDryRun: isDryRun)
        var alongside: [String: StackName] = [:]
        for (entity, unit) in zip(entities, units) {
            alongside[unit] = try bridge.checkHandover(entity, to: owner).owner
        }
        var done: Set<String> = []
        var pace = Pace()
        for (entity, unit) in zip(entities, units) where done.insert(unit).inserted {
            let result = try bridge.handover(
                entity, to: owner, isDryRun: isDryRun, user: user,
                reason: parameters["reason"]?.stringValue, alongside: alongside, cancellation: cancellation,
                progress: { send(["step": Self.json($0)]) },
                rows: { if pace.isDue() { progress(["progress": Self.json($0)]) } })
            guard let result else { continue }
            send([
                "result": [
                    "entity": .string(result.entity), "unit": .array(result.unit.map { .string($0) }),
                    "owner": .string(result.owner.rawValue), "epoch": .integer(result.epoch),
                    "token": .string(result.token.description),
                ]
            ])
        }
    }

    private static func json(_ step: HandoverStep) -> JSON {
        var json: JSONObject = [
            "step": .string(step.name.rawValue), "ok": .bool(step.isPassed), "detail": .string(step.detail),
        ]
        if !step.checks.isEmpty {
            json["checks"] = .array(
                step.checks.map { check in
                    [
                        "check": .string(check.name.rawValue), "ok": .bool(check.isPassed),
                        "detail": .string(check.detail), "way": check.way.map { .string($0) } ?? .null,
                    ]
                })
        }
        return .object(json)
    }

    /// The record of handovers, of one entity's unit or of all, oldest first.
    func handovers(_ parameters: JSONObject) throws -> JSONObject {
        let records = try bridge.handovers(of: parameters["entity"]?.stringValue)
        let units = try bridge.register()?.units ?? [:]
        func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
        return [
            "handovers": .array(
                try records.map { record in
                    [
                        "entity": .string(record.unit),
                        "unit": .array((units[record.unit]?.entities ?? []).map { .string($0) }),
                        "from": text(record.previous?.rawValue), "to": .string(record.owner.rawValue),
                        "epoch": .integer(record.epoch),
                        "at": json.value(.date(Date(timeIntervalSinceReferenceDate: record.at))),
                        "by": text(record.user), "reason": text(record.reason),
                        "token": .string(try token(record.number)),
                    ]
                })
        ]
    }

    func freeze(_ parameters: JSONObject, user: String) throws -> JSONObject {
        let unit = try bridge.freeze(
            parameters["entity"]?.stringValue ?? "", user: user, reason: parameters["reason"]?.stringValue)
        return ["owners": try owners(of: unit.entities)]
    }

    func thaw(_ parameters: JSONObject, user: String) throws -> JSONObject {
        let unit = try bridge.thaw(parameters["entity"]?.stringValue ?? "", user: user)
        return ["owners": try owners(of: unit.entities)]
    }

    /// A refusal for a freeze, with who froze the unit by hand and why, as far as the daemon knows.
    func explained(_ error: any Error) -> any Error {
        guard var refusal = error as? StoreError, refusal.code == .frozen,
            let register = try? bridge.register()
        else { return error }
        let units = Set(refusal.objects.compactMap { register.unit(ofEntity: $0.object.entity)?.name })
        let notes = units.sorted().compactMap { unit in
            bridge.freezes[unit].map { "\(unit) was frozen \($0.description)" }
        }
        if !notes.isEmpty { refusal.message += "; \(notes.joined(separator: "; "))" }
        return refusal
    }

    /// The handovers that are under way.
    var runningHandovers: JSON {
        func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
        return .array(
            bridge.runningHandovers.map { handover in
                [
                    "unit": .array(handover.entities.map { .string($0) }), "to": .string(handover.owner.rawValue),
                    "since": json.value(.date(handover.at)), "by": text(handover.user),
                    "reason": text(handover.reason), "step": text(handover.step?.rawValue),
                ]
            })
    }
}
