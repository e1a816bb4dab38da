import StoreFormat
import Varlink

/// A violation of the format as JSON: what `verify` prints.
enum ViolationJSON {
    static func object(_ violation: Violation) -> JSON {
        [
            "rule": .string(violation.rule), "where": .string(violation.place), "what": .string(violation.what),
            "severity": .string(violation.severity.rawValue),
        ]
    }
}
