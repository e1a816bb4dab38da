import Bridge
import Foundation
import StoreFormat
import Varlink

extension Requests {
    func consumers() throws -> JSONObject {
        let list = try bridge.consumers().map { consumer -> JSON in
            [
                "name": .string(consumer.name), "token": .string(try token(consumer.number)),
                "lag": .integer(consumer.lag), "lagSeconds": .double(consumer.lagSeconds),
                "keeps": .integer(consumer.keeps), "state": .string(consumer.state.rawValue),
            ]
        }
        return ["consumers": .array(list)]
    }

    private func name(_ parameters: JSONObject) -> String { parameters["name"]?.stringValue ?? "" }

    func addConsumer(_ parameters: JSONObject) throws -> JSONObject {
        try bridge.addConsumer(name(parameters), from: parameters["from"]?.stringValue.map { try number($0) })
        return try consumers()
    }

    func acknowledge(_ parameters: JSONObject) throws -> JSONObject {
        try bridge.acknowledge(name(parameters), try number(parameters["token"]?.stringValue ?? ""))
        return try consumers()
    }

    func removeConsumer(_ parameters: JSONObject) throws -> JSONObject {
        try bridge.removeConsumer(name(parameters))
        return try consumers()
    }

    func prune(_ parameters: JSONObject) throws -> JSONObject {
        let bound: HistoryPurge.Bound
        if let text = parameters["before"]?.stringValue {
            bound = try self.bound(text)
        } else {
            let consumers = try bridge.consumers()
            guard consumers.contains(where: { $0.state == .active }) else {
                let names = consumers.map(\.name).joined(separator: ", ")
                throw StoreError(
                    .refused,
                    "nothing says how much of history may go: "
                        + (names.isEmpty ? "there is no consumer" : "all consumers are expired (\(names))"),
                    way: "say how far: `coexistctl history prune --before TOKEN`, or a date instead of the token")
            }
            bound = .acknowledged
        }
        let result = try bridge.prune(bound, isDryRun: parameters["dryRun"]?.boolValue ?? false)
        return [
            "token": .string(try token(result.last)), "transactions": .integer(result.transactions),
            "holders": .array(result.holders.map { .string($0) }),
        ]
    }

    /// What comes before a token: the transactions below its number.
    private func bound(_ text: String) throws -> HistoryPurge.Bound {
        if let date = DateText.date(text) { return .before(date) }
        return .through(try number(text) - 1)
    }
}
