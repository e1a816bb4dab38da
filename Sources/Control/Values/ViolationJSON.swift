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

    private static func object(_ violation: Violation) -> JSON {
        [
            "rule": .string(violation.rule), "where": .string(violation.place), "what": .string(violation.what),
            "severity": .string(violation.severity.rawValue),
        ]
    }
}
