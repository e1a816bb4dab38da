import Foundation
import StoreFormat
import Varlink

/// The commands that ask a running daemon.
enum DaemonCommands {
    static let all: [Command] =
        statusCommands + objectCommands + historyCommands + consumerCommands + ownershipCommands + maintenanceCommands

    /// A command whose options include the socket.
    static func command(
        _ name: String, _ usage: String, _ summary: String, flags: Set<String> = [], options: Set<String> = [],
        operands: ClosedRange<Int> = 0...0, run: @escaping @Sendable (Arguments, Output, DaemonClient) throws -> Int32
    ) -> Command {
        Command(
            name, usage, summary, flags: flags, options: options.union(["socket"]), operands: operands
        ) { arguments, output in
            try run(arguments, output, try DaemonClient(arguments))
        }
    }

    private static let statusCommands: [Command] = [
        command("status", "", "State, store, stacks, owners, lag, clients, log") { _, output, client in
            let status = try client.call("Status")
            if output.isJSON { output.json(.object(status)) } else { StatusText.print(status, output) }
            return 0
        },
        command("owners", "", "Every entity with its owner, epoch and rows") { _, output, client in
            owners(try client.call("Owners"), output)
            return 0
        },
        command("entities", "", "The same as owners") { _, output, client in
            owners(try client.call("Owners"), output)
            return 0
        },
        command("metrics", "", "What is measured, as OpenMetrics text") { _, output, client in
            let text = try client.call("Metrics")["text"] ?? ""
            if output.isJSON {
                output.json(["text": text, "samples": MetricsJSON.samples(text.stringValue ?? "")])
            } else {
                output.lines((text.stringValue ?? "").trimmingCharacters(in: .newlines))
            }
            return 0
        },
        command("caches", "", "What the row caches hold and did") { _, output, client in
            let caches = try client.call("Caches")["caches"] ?? [:]
            if output.isJSON {
                output.json(caches)
                return 0
            }
            let keys = ["objects", "hits", "misses", "invalidations", "stale", "ageP99"]
            output.table(
                [["stack"] + keys]
                    + (caches.objectValue ?? [:]).map { stack, values in
                        [stack] + keys.map { values[$0].map { $0.isNull ? "-" : $0.description } ?? "-" }
                    })
            return 0
        },
    ]

    /// Transaction, stack, author or else process, and time.
    private static func lastWrite(_ write: JSON) -> String {
        func text(_ key: String) -> String? { write[key]?.stringValue }
        let number = text("token")?.split(separator: ":").last.map(String.init)
        let by = write.isNull ? nil : text("stack") ?? "another program:"
        let parts = [number, by, text("author") ?? text("process"), text("at")].compactMap { $0 }
        return parts.isEmpty ? "-" : parts.joined(separator: " ")
    }

    /// Nobody owns anything in a store that was never adopted; what is frozen keeps its owner.
    private static func name(ofOwner owner: JSON) -> String {
        if owner["owner"]?.stringValue == "none" { return "none (not adopted)" }
        guard let freeze = owner["freeze"], !freeze.isNull else { return text(owner["owner"]) }
        let why = freeze["kind"]?.stringValue == "hand" ? "by hand" : "for a handover"
        return "\(text(owner["owner"])) (frozen \(why))"
    }

    /// By whom a unit was frozen, since when and why, as far as the daemon knows.
    private static func freeze(of owner: JSON) -> String? {
        guard let freeze = owner["freeze"], let since = freeze["since"]?.stringValue else { return nil }
        let by = freeze["by"]?.stringValue.map { " by \($0)" } ?? ""
        let reason = freeze["reason"]?.stringValue.map { ": \($0)" } ?? ""
        return "\(text(owner["unit"])) was frozen\(by) at \(since)\(reason)"
    }

    private static func text(_ value: JSON?) -> String {
        value.map { $0.isNull ? "-" : $0.stringValue ?? $0.description } ?? "-"
    }

    static func owners(_ reply: JSONObject, _ output: Output) {
        let owners = reply["owners"]?.arrayValue ?? []
        if output.isJSON {
            output.json(.array(owners))
            return
        }
        let keys = ["entity", "owner", "epoch", "rows", "since", "unit"]
        let hasWrites = owners.contains { $0["lastWrite"] != nil }
        output.table(
            [keys + (hasWrites ? ["last write"] : [])]
                + owners.map { owner in
                    keys.map { key in key == "owner" ? name(ofOwner: owner) : text(owner[key]) }
                        + (hasWrites ? [lastWrite(owner["lastWrite"] ?? .null)] : [])
                })
        for line in Set(owners.compactMap(freeze)).sorted() { output.line(line) }
    }

    private static let historyCommands: [Command] = [
        command(
            "history", "[--after TOKEN] [--entity E] [--author A|!A] [--last N] [--limit N] [--follow]",
            "Transactions with their changes, oldest first. A script keeps whole tokens: a bare number means the present "
                + "timeline, which a restore changes", flags: ["follow"],
            options: ["after", "entity", "author", "limit", "last"], run: history),
        command(
            "history", "prune [--before TOKEN|DATE] [--dry-run]",
            "Purges history as far as durable readers allow: before a token or date, else what they all acknowledged",
            flags: ["dry-run"], options: ["before"], operands: 1...1
        ) { arguments, output, client in
            guard arguments.operands == ["prune"] else {
                throw CommandFailure.usage("`history \(arguments.operands[0])` is no command", "use `history prune`")
            }
            return try prune(arguments, output, client)
        },
        command(
            "replay", "[--stack legacy|model] [--wait TOKEN]",
            "Replays now; with a token, returns when the stacks are there",
            options: ["stack", "wait"]
        ) { arguments, output, client in
            var parameters: JSONObject = [:]
            parameters["stack"] = try arguments.stack().map { .string($0.rawValue) }
            parameters["wait"] = arguments.value("wait").map { .string($0) }
            let stacks = try client.call("Replay", parameters)["stacks"] ?? [:]
            if output.isJSON {
                output.json(["stacks": stacks])
            } else {
                output.table(StatusText.stacks(stacks))
            }
            return 0
        },
    ]

    private static func history(_ arguments: Arguments, _ output: Output, _ client: DaemonClient) throws -> Int32 {
        var parameters: JSONObject = [:]
        for key in ["after", "entity", "author"] { parameters[key] = arguments.value(key).map { .string($0) } }
        for key in ["limit", "last"] { parameters[key] = try arguments.number(key).map { JSON($0) } }
        let follows = arguments.has("follow")
        parameters["follow"] = follows ? true : nil
        try client.stream("History", parameters) { reply in
            guard let transaction = reply["transaction"], !transaction.isNull else { return true }
            if output.isJSON { output.json(transaction) } else { HistoryText.print(transaction, output) }
            if follows { output.flush() }
            return true
        }
        return 0
    }

    private static let maintenanceCommands: [Command] = [
        command("invalidate", "[ENTITY]", "Drops cached rows", operands: 0...1) { arguments, output, client in
            _ = try client.call("Invalidate", arguments.operands.first.map { ["entity": .string($0)] } ?? [:])
            if output.isJSON {
                output.json([:])
            } else {
                let what = arguments.operands.first.map { "what was cached of \($0)" } ?? "every cached row"
                output.line("\(what) is dropped in both stacks")
            }
            return 0
        },
        command("checkpoint", "", "Moves the log into the store") { _, output, client in
            let result = try client.call("Checkpoint")
            let isComplete = result["complete"]?.boolValue == true
            if output.isJSON {
                output.json(.object(result))
            } else {
                let holder = result["heldBy"]?.stringValue ?? "a reader or writer"
                output.line(isComplete ? "the log is in the store" : "in the way was \(holder): try again")
            }
            return isComplete ? 0 : 1
        },
        command("backup", "FILE", "Copies the running store to a new file", operands: 1...1) {
            arguments, output, client in
            let path = URL(fileURLWithPath: arguments.operands[0]).standardizedFileURL.path
            let result = try client.call("Backup", ["file": .string(path)])
            return RecoveryCommands.show(result["damage"]?.stringValue, of: "the store", path, output)
        },
        command("verify", "", "Checks the running store") { _, output, client in
            let reply = try client.call("Verify")
            if output.isJSON {
                output.json(.object(ViolationJSON.counted(reply)))
            } else {
                ViolationText.print(reply, output)
            }
            let violations = reply["violations"]?.arrayValue ?? []
            return violations.contains { $0["severity"]?.stringValue == "error" } ? 1 : 0
        },
        command("reload", "", "Has the daemon read its configuration anew") { _, output, client in
            let reply = try client.call("Reload")
            let changed = (reply["changed"]?.arrayValue ?? []).compactMap(\.stringValue)
            if output.isJSON {
                output.json(.object(reply))
            } else {
                output.line(changed.isEmpty ? "nothing changed" : "changed: \(changed.joined(separator: ", "))")
            }
            return 0
        },
        command(
            "stop", "[--wait]", "Stops the daemon: running saves finish first, a handover is called off",
            flags: ["wait"], run: StopCommand.run),
    ]
}
