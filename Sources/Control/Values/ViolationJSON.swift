import StoreFormat
import Varlink

/// What `verify` found as JSON. Warnings are no violations, and stand apart.
enum ViolationJSON {
    static func report(_ found: [Violation]) -> JSONObject {
        [
            "violations": .array(found.filter { $0.severity != .warning }.map(object)),
            "warnings": .array(found.filter { $0.severity == .warning }.map(object)),
        ]
    }

    /// The same with how many violations there are of each severity.
    static func counted(_ report: JSONObject) -> JSONObject {
        var report = report
        let found = (report["violations"]?.arrayValue ?? []).map { $0["severity"]?.stringValue }
        report["counts"] = .object(
            JSONObject(
                [Violation.Severity.error, .inherited].map { severity in
                    (severity.rawValue, JSON(found.count { $0 == severity.rawValue }))
                }))
        return report
    }

    private static func object(_ violation: Violation) -> JSON {
        [
            "rule": .string(violation.rule), "where": .string(violation.place), "what": .string(violation.what),
            "severity": .string(violation.severity.rawValue),
        ]
    }
}
