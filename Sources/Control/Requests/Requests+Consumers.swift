import Bridge
import Foundation
import StoreFormat
import Varlink

extension Requests {
    func consumers() throws -> JSONObject {
        ["consumers": try consumerList()]
    }

    func consumerList() throws -> JSON {
        .array(
            try bridge.consumers().map { consumer -> JSON in
                [
                    "name": .string(consumer.name), "token": .string(try token(consumer.number)),
                    "lag": consumer.lag.map { .integer($0) } ?? .null,
                    "lagSeconds": consumer.lagSeconds.map { .double($0) } ?? .null,
                    "keeps": .integer(consumer.keeps), "state": .string(consumer.state.rawValue),
                ]
            })
    }

    private func name(_ parameters: JSONObject) -> String { parameters["name"]?.stringValue ?? "" }

    func addConsumer(_ parameters: JSONObject, user: String) throws -> JSONObject {
        try bridge.addConsumer(
            name(parameters), from: parameters["from"]?.stringValue.map { try number($0) }, user: user)
        return try consumers()
    }

    func acknowledge(_ parameters: JSONObject) throws -> JSONObject {
        try bridge.acknowledge(name(parameters), try number(parameters["token"]?.stringValue ?? ""))
        return try consumers()
    }

    func removeConsumer(_ parameters: JSONObject, user: String) throws -> JSONObject {
        try bridge.removeConsumer(name(parameters), user: user)
        return try consumers()
    }

    func prune(_ parameters: JSONObject, user: String) throws -> JSONObject {
        let bound: HistoryPurge.Bound
        var slowest: [String] = []
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
            let active = consumers.filter { $0.state == .active }
            let place = active.map(\.number).min()
            slowest = active.filter { $0.number == place && $0.lag ?? 0 > 0 }.map(\.name)
        }
        let result = try bridge.prune(bound, isDryRun: parameters["dryRun"]?.boolValue ?? false, user: user)
        return [
            "token": .string(try token(result.last)), "transactions": .integer(result.transactions),
            "holders": .array((result.holders + slowest).map { .string($0) }),
        ]
    }

    /// What comes before a token: the transactions below its number.
    private func bound(_ text: String) throws -> HistoryPurge.Bound {
        if let date = DateText.date(text) { return .before(date) }
        return .through(try number(text) - 1)
    }
}
