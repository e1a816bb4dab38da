/// Metrics in OpenMetrics' text format (openmetrics.io, version 1.0).
struct MetricsText {
    private(set) var text = ""
    /// How every such text begins.
    static let start = "# TYPE "

    /// The kinds of metric that are used here.
    enum Kind: String {
        case gauge
        case counter
        case summary
        case info
    }

    /// One value of a metric.
    struct Sample {
        /// Goes after the metric's name, as `_total`.
        var suffix = ""
        var labels: [(String, String)] = []
        var value: Double

        init(_ value: Double, _ labels: [(String, String)] = [], suffix: String = "") {
            self.value = value
            self.labels = labels
            self.suffix = suffix
        }
    }

    /// Adds a metric with its samples; one without samples is left out.
    mutating func add(_ name: String, _ kind: Kind, unit: String? = nil, _ help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        text += "# TYPE \(name) \(kind.rawValue)\n"
        if let unit { text += "# UNIT \(name) \(unit)\n" }
        text += "# HELP \(name) \(Self.escaped(help))\n"
        for sample in samples {
            let suffix =
                switch kind {
                case .counter: "_total"
                case .info: "_info"
                case .gauge, .summary: sample.suffix
                }
            text += "\(name)\(suffix)\(Self.labels(sample.labels)) \(Self.number(sample.value))\n"
        }
    }

    /// Ends the text, as the format wants it.
    mutating func finish() -> String {
        text += "# EOF\n"
        return text
    }

    private static func labels(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n").replacing("\"", with: "\\\"")
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
