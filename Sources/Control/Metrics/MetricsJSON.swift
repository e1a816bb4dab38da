import Varlink

/// The samples of metrics in OpenMetrics' text format as JSON: `{"name","labels","value"}`.
enum MetricsJSON {
    /// The samples in the text's order. A value that JSON has no number for is a text.
    static func samples(_ text: String) -> JSON {
        .array(text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap(sample))
    }

    private static func sample(_ line: Substring) -> JSON? {
        guard let space = line.lastIndex(of: " ") else { return nil }
        let value = line[line.index(after: space)...]
        var head = line[..<space]
        var labels: JSONObject = [:]
        if let brace = head.firstIndex(of: "{"), head.last == "}" {
            labels = self.labels(head[head.index(after: brace)...].dropLast())
            head = head[..<brace]
        }
        return ["name": .string(String(head)), "labels": .object(labels), "value": number(value)]
    }

    /// `name="value",…`, with `\\`, `\"` and `\n` inside a value.
    private static func labels(_ text: Substring) -> JSONObject {
        var labels: JSONObject = [:]
        var rest = text
        while let equals = rest.firstIndex(of: "=") {
            let name = String(rest[..<equals])
            rest = rest[equals...].dropFirst(2)
            var value = ""
            while let character = rest.popFirst(), character != "\"" {
                guard character == "\\" else {
                    value.append(character)
                    continue
                }
                let escaped = rest.popFirst() ?? "\\"
                value.append(escaped == "n" ? "\n" : escaped)
            }
            labels[name] = .string(value)
            if rest.first == "," { rest = rest.dropFirst() }
        }
        return labels
    }

    private static func number(_ text: Substring) -> JSON {
        if let whole = Int64(text) { return .integer(whole) }
        guard let value = Double(text), value.isFinite else { return .string(String(text)) }
        return .double(value)
    }
}
