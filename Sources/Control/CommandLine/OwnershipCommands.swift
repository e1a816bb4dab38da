import Foundation
import StoreFormat
import Varlink

/// The commands about who owns what, on the running daemon.
extension DaemonCommands {
    static let ownershipCommands: [Command] = [
        command(
            "handover", "ENTITY… --to legacy|model | --back [--dry-run] [--reason TEXT]",
            "Moves the entities' units to another owner, printing each step", flags: ["back", "dry-run"],
            options: ["to", "reason"], operands: 1...1_000, run: handover),
        command(
            "handovers", "[ENTITY]", "Every change of owner: when, by whom, why", operands: 0...1, run: handovers),
        command(
            "freeze", "ENTITY [--reason TEXT]", "Refuses writes to the entity's unit until thaw, or the daemon's end",
            options: ["reason"], operands: 1...1
        ) { arguments, output, client in
            var parameters: JSONObject = ["entity": .string(arguments.operands[0])]
            parameters["reason"] = arguments.value("reason").map { .string($0) }
            owners(try client.call("Freeze", parameters), output)
            return 0
        },
        command("thaw", "ENTITY", "Ends a freeze", operands: 1...1) { arguments, output, client in
            try thaw(arguments.operands[0], output, client)
        },
        command(
            "compare", "ENTITY [--sample N]", "Reads every row through both stacks and lists what differs",
            options: ["sample"], operands: 1...1, run: compare),
    ]

    static func thaw(_ entity: String, _ output: Output, _ client: DaemonClient) throws -> Int32 {
        owners(try client.call("Thaw", ["entity": .string(entity)]), output)
        return 0
    }

    private static func handover(_ arguments: Arguments, _ output: Output, _ client: DaemonClient) throws -> Int32 {
        let isBack = arguments.has("back")
        guard isBack != (arguments.value("to") != nil) else {
            throw CommandFailure.usage(
                "a handover takes one of --to and --back", "name the new owner: --to legacy or --to model")
        }
        var parameters: JSONObject = ["entities": .array(arguments.operands.map { .string($0) })]
        parameters["to"] = try arguments.stack("to").map { .string($0.rawValue) }
        parameters["back"] = isBack ? true : nil
        parameters["dryRun"] = arguments.has("dry-run") ? true : nil
        parameters["reason"] = arguments.value("reason").map { .string($0) }
        let bar = ProgressBar("comparing")
        defer { bar.finish() }
        try client.stream("Handover", parameters) { reply in
            if let progress = reply["progress"], !progress.isNull {
                bar.update(progress["done"]?.intValue ?? 0, of: progress["total"]?.intValue ?? 0)
                return true
            }
            bar.finish()
            if let step = reply["step"], !step.isNull {
                if output.isJSON { output.json(step) } else { print(step, output, arguments.has("dry-run")) }
            }
            if let result = reply["result"], !result.isNull {
                if output.isJSON { output.json(result) } else { print(result: result, output) }
            }
            output.flush()
            return true
        }
        return 0
    }

    /// What a preflight looked at is shown where that is what was asked for, and where it failed.
    private static func print(_ step: JSON, _ output: Output, _ isDryRun: Bool) {
        func line(_ item: JSON, _ name: String, _ indent: String) {
            let mark = item["ok"]?.boolValue == true ? "ok  " : "FAIL"
            output.line("\(indent)\(mark) \(item[name]?.stringValue ?? ""): \(item["detail"]?.stringValue ?? "")")
        }
        if isDryRun || step["ok"]?.boolValue == false {
            for check in step["checks"]?.arrayValue ?? [] { line(check, "check", "  ") }
        }
        line(step, "step", "")
    }

    private static func print(result: JSON, _ output: Output) {
        let unit = (result["unit"]?.arrayValue ?? []).compactMap(\.stringValue).joined(separator: ", ")
        output.line(
            "\(unit): owned by \(result["owner"]?.stringValue ?? "") at epoch \(result["epoch"]?.description ?? ""), "
                + "after \(result["token"]?.stringValue ?? "")")
    }

    private static func handovers(_ arguments: Arguments, _ output: Output, _ client: DaemonClient) throws -> Int32 {
        let parameters: JSONObject = arguments.operands.first.map { ["entity": .string($0)] } ?? [:]
        let records = try client.call("Handovers", parameters)["handovers"] ?? []
        if output.isJSON {
            output.json(records)
            return 0
        }
        let keys = ["at", "entity", "from", "to", "epoch", "by", "reason"]
        output.table(
            [keys]
                + (records.arrayValue ?? []).map { record in
                    keys.map { key in record[key].map { $0.isNull ? "-" : $0.stringValue ?? $0.description } ?? "-" }
                })
        return 0
    }

    private static func compare(_ arguments: Arguments, _ output: Output, _ client: DaemonClient) throws -> Int32 {
        var parameters: JSONObject = ["entity": .string(arguments.operands[0])]
        parameters["sample"] = try arguments.number("sample").map { JSON($0) }
        var result: JSONObject = [:]
        let bar = ProgressBar("comparing")
        defer { bar.finish() }
        try client.stream("Compare", parameters) { reply in
            if let progress = reply["progress"], !progress.isNull {
                bar.update(progress["done"]?.intValue ?? 0, of: progress["total"]?.intValue ?? 0)
            } else {
                result = reply
            }
            return true
        }
        bar.finish()
        if output.isJSON {
            output.json(.object(result))
        } else {
            print(comparison: result, output)
        }
        return result["differing"]?.intValue ?? 0 == 0 ? 0 : 1
    }

    private static func print(comparison result: JSONObject, _ output: Output) {
        func text(_ value: JSON?) -> String { value.map { $0.isNull ? "nothing" : $0.description } ?? "nothing" }
        for difference in result["differences"]?.arrayValue ?? [] {
            let id = difference["id"]?.stringValue ?? ""
            let property = difference["property"]?.stringValue.map { " \($0)" } ?? ""
            output.line("\(id)\(property): legacy \(text(difference["legacy"])), model \(text(difference["model"]))")
        }
        output.line(
            "\(CountText.text(result["rows"] ?? 0, "row")), \(result["differing"]?.description ?? "0") read differently"
        )
    }
}
