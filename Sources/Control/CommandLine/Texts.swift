import StoreFormat
import Varlink

extension CountText {
    /// `1 row`, `2 rows`, `? rows` where the number is not known.
    static func text(_ count: JSON?, _ noun: String) -> String {
        guard let count, !count.isNull else { return "? \(noun)s" }
        return count.intValue.map { text($0, noun) } ?? "\(count.description) \(noun)s"
    }
}

/// A daemon's status for a person.
enum StatusText {
    static func print(_ status: JSONObject, _ output: Output) {
        func text(_ value: JSON?) -> String { value.map { $0.stringValue ?? $0.description } ?? "-" }
        output.line("state    \(text(status["state"]))")
        output.line(
            "daemon   \(text(status["version"])), process \(text(status["pid"])), since \(text(status["started"]))")
        if let problem = status["problem"], !problem.isNull {
            let sentences = Output.sentences(
                problem["message"]?.stringValue ?? "", way: problem["way"]?.stringValue ?? "")
            output.line("problem  \(text(problem["code"])): \(sentences)")
        }
        output.line("store    \(text(status["store"]?["path"]))")
        output.line("UUID     \(text(status["store"]?["uuid"]))")
        output.line("model    \(text(status["store"]?["model"]))")
        output.line(
            "history  last \(text(status["history"]?["last"])), "
                + CountText.text(status["history"]?["transactions"], "transaction"))
        let holder = status["wal"]?["heldBy"]?.stringValue.map { ", kept by \($0)" } ?? ""
        output.line("log      \(text(status["wal"]?["bytes"])) bytes\(holder)")
        output.line("guard    \(status["guard"]?.stringValue ?? "left as it is: the store is open read-only")")
        output.line("clients  \(text(status["clients"]))")
        output.line("SQLite   \(text(status["sqlite"]))")
        if let reason = status["readOnly"]?.stringValue { output.line("READ-ONLY: \(reason)") }
        if let p50 = status["staleness"]?["p50"]?.doubleValue, let p99 = status["staleness"]?["p99"]?.doubleValue {
            output.line(
                "stale    \(milliseconds(p50)) at the median, \(milliseconds(p99)) at p99, from commit to the other stack"
            )
        }
        if let forwards = status["forwards"], forwards["crossStackDeletes"]?.stringValue == "forward" {
            let deletes = (forwards["deletes"]?.objectValue ?? [:]).map { "\(text($1)) of the \($0) stack" }
            output.line("forwards \(text(forwards["pending"])) under way, done \(deletes.joined(separator: ", "))")
        }
        for handover in status["handovers"]?.arrayValue ?? [] {
            let unit = (handover["unit"]?.arrayValue ?? []).compactMap(\.stringValue).joined(separator: ", ")
            let by = handover["by"]?.stringValue.map { " by \($0)" } ?? ""
            let step = handover["step"]?.stringValue.map { "passed \($0)" } ?? "in its preflight"
            output.line(
                "handover \(unit) to \(text(handover["to"])), begun\(by) at \(text(handover["since"])): \(step)")
        }
        output.line()
        output.table(stacks(status["stacks"] ?? [:]))
        output.line()
        DaemonCommands.owners(status, output)
        let consumers = status["consumers"]?.arrayValue ?? []
        if !consumers.isEmpty {
            output.line()
            DaemonCommands.consumers(consumers, output)
        }
        for (title, key) in [("warning", "warnings"), ("ALARM", "alarms")] {
            for item in status[key]?.arrayValue ?? [] { output.line("\(title): \(text(item))") }
        }
    }

    private static func milliseconds(_ seconds: Double) -> String { "\((seconds * 100_000).rounded() / 100) ms" }

    static func stacks(_ stacks: JSON) -> [[String]] {
        [["stack", "token", "lag"]]
            + (stacks.objectValue ?? [:]).map { name, stack in
                [name, stack["token"]?.stringValue ?? "-", stack["lag"]?.description ?? "-"]
            }
    }
}

/// A history transaction for a person.
enum HistoryText {
    static func print(_ transaction: JSON, _ output: Output) {
        func text(_ key: String) -> String? { transaction[key]?.stringValue }
        let parts = [text("stack")] + ["author", "context", "process"].map { key in text(key).map { "\(key) \($0)" } }
        let by = parts.compactMap { $0 }.joined(separator: ", ")
        let cause = text("cause").map { ", for the delete in \($0)" } ?? ""
        output.line("\(text("token") ?? "") \(text("timestamp") ?? "") \(by)\(cause)")
        for change in transaction["changes"]?.arrayValue ?? [] {
            let id = change["id"]?.stringValue.map(ObjectText.short) ?? ""
            let properties = (change["properties"]?.arrayValue ?? []).compactMap(\.stringValue).joined(separator: ", ")
            output.line("  \(change["kind"]?.stringValue ?? "") \(id)\(properties.isEmpty ? "" : ": \(properties)")")
        }
    }
}

/// What `verify` found, for a person: violations line by line, warnings beside the output.
enum ViolationText {
    static func print(_ report: JSONObject, _ output: Output) {
        let violations = report["violations"]?.arrayValue ?? []
        func text(_ violation: JSON, _ keys: [String]) -> String {
            keys.map { violation[$0]?.stringValue ?? "" }.joined(separator: ": ")
        }
        for violation in violations { output.line(text(violation, ["severity", "rule", "where", "what"])) }
        output.warn((report["warnings"]?.arrayValue ?? []).map { text($0, ["rule", "where", "what"]) })
        output.line(summary(violations))
    }
}

extension ViolationText {
    /// What was there before adoption must not be taken for something new.
    private static func summary(_ violations: [JSON]) -> String {
        let inherited = violations.count { $0["severity"]?.stringValue == "inherited" }
        guard inherited > 0 else { return CountText.text(violations.count, "violation") }
        return "\(CountText.text(violations.count - inherited, "new violation")), \(inherited) inherited"
    }
}

/// An object for a person.
enum ObjectText {
    static func print(_ object: JSON, _ output: Output) {
        let entity = object["entity"]?.stringValue ?? ""
        output.line("\(entity)/\(object["pk"]?.description ?? "") version \(object["version"]?.description ?? "")")
        for (key, value) in object["values"]?.objectValue ?? [:] where !value.isNull {
            let text = value.stringValue ?? value.description
            output.line("  \(key) = \(text.count > 100 ? "\(text.prefix(100))… (\(text.count) characters)" : text)")
        }
        for (key, value) in object["relationships"]?.objectValue ?? [:] where !value.isNull {
            output.line("  \(key) → \(short(value))")
        }
        let missing = ["values", "relationships"].flatMap { part in
            (object[part]?.objectValue ?? [:]).compactMap { key, value in value.isNull ? key : nil }
        }
        if !missing.isEmpty { output.line("  missing: \(missing.joined(separator: ", "))") }
    }

    /// `Entity/12` of an object's URI: the one form in which text names objects.
    static func short(_ id: String) -> String {
        let parts = id.split(separator: "/").suffix(2)
        return "\(parts.first ?? "")/\(parts.last?.dropFirst() ?? "")"
    }

    private static func short(_ value: JSON) -> String {
        if let id = value.stringValue { return short(id) }
        let ids = (value.arrayValue ?? []).compactMap(\.stringValue)
        let shown = ids.prefix(10).map(short).joined(separator: ", ")
        return ids.isEmpty ? "none" : ids.count > 10 ? "\(shown), and \(ids.count - 10) more" : shown
    }
}
