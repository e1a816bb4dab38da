import StoreFormat
import Varlink

extension DaemonCommands {
    /// The durable readers of history, and what is purged behind them.
    static let consumerCommands: [Command] = [
        command(
            "consumers", "[list | add NAME [--from TOKEN] | ack NAME TOKEN | remove NAME]",
            "Durable readers of history: lists them; adds, acknowledges for, or removes one. TOKEN is a whole token, as "
                + "`history` prints it", options: ["from"],
            operands: 0...3, run: consumers)
    ]

    private static func consumers(_ arguments: Arguments, _ output: Output, _ client: DaemonClient) throws -> Int32 {
        let operands = arguments.operands
        guard arguments.value("from") == nil || operands.first == "add" else {
            throw CommandFailure.usage("--from belongs to `consumers add`", "see `coexistctl consumers --help`")
        }
        let reply: JSONObject
        switch (operands.first, operands.count) {
        case (nil, _), ("list", 1): reply = try client.call("Consumers")
        case ("add", 2):
            var parameters: JSONObject = ["name": .string(operands[1])]
            parameters["from"] = arguments.value("from").map { .string($0) }
            reply = try client.call("AddConsumer", parameters)
        case ("ack", 3):
            reply = try client.call("Acknowledge", ["name": .string(operands[1]), "token": .string(operands[2])])
        case ("remove", 2): reply = try client.call("RemoveConsumer", ["name": .string(operands[1])])
        case ("add", _), ("ack", _), ("remove", _):
            throw CommandFailure.usage(
                "`consumers \(operands.joined(separator: " "))` lacks something, or has too much",
                "use add NAME, ack NAME TOKEN or remove NAME; `consumers` alone lists them")
        default:
            throw CommandFailure.usage(
                "`consumers \(operands.joined(separator: " "))` is no command",
                "use add NAME, ack NAME TOKEN or remove NAME; `consumers` alone lists them")
        }
        let list = reply["consumers"]?.arrayValue ?? []
        if output.isJSON {
            output.json(.array(list))
            return 0
        }
        consumers(list, output)
        return 0
    }

    /// A table of readers.
    static func consumers(_ list: [JSON], _ output: Output) {
        let keys = ["name", "state", "lag", "lagSeconds", "keeps", "token"]
        output.table(
            [["name", "state", "lag", "lag time", "keeps", "token"]]
                + list.map { consumer in
                    keys.map { key in
                        guard let value = consumer[key], !value.isNull else { return "-" }
                        if key == "lagSeconds", let seconds = value.doubleValue { return DurationText.text(seconds) }
                        return value.stringValue ?? value.description
                    }
                })
    }

    /// `history prune`.
    static func prune(_ arguments: Arguments, _ output: Output, _ client: DaemonClient) throws -> Int32 {
        var parameters: JSONObject = ["dryRun": .bool(arguments.has("dry-run"))]
        parameters["before"] = try arguments.tokenOrDate("before").map { .string($0) }
        let reply = try client.call("Prune", parameters)
        if output.isJSON {
            output.json(.object(reply))
            return 0
        }
        let count = reply["transactions"] ?? 0
        let verb = arguments.has("dry-run") ? "would go" : count.intValue == 1 ? "is gone" : "are gone"
        output.line("\(CountText.text(count, "transaction")) \(verb), up to \(reply["token"]?.stringValue ?? "-")")
        let holders = (reply["holders"]?.arrayValue ?? []).compactMap(\.stringValue)
        if !holders.isEmpty { output.line("kept for \(holders.joined(separator: ", "))") }
        return 0
    }
}
