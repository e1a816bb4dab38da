import StoreFormat
import Testing

/// A damage, and everything that `verify` must find in the store that has it.
struct Damage: Sendable, CustomTestStringConvertible {
    var sql: String
    /// Rule and place of each finding, with a part of its message.
    var findings: [[String]]
    var severity: Violation.Severity

    init(_ sql: String, _ findings: [String]..., severity: Violation.Severity = .error) {
        self.sql = sql
        self.findings = findings
        self.severity = severity
    }

    var testDescription: String { sql }
}
