/// A rule of the format, or of our own tables, that a store breaks.
public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// How serious the violation is.
    public enum Severity: String, Sendable, Hashable, Codable {
        /// Came since adoption, or the store was never adopted.
        case error
        /// Was there when the store was adopted: recorded in `COEXIST_INHERITED`.
        case inherited
        /// Breaks no rule of the format: the store can be opened and read, but something is as no framework would leave
        /// it, or a value would not be saved again as it is. Never recorded as inherited.
        case warning
    }

    /// The rule's name, such as `dangling`.
    public var rule: String
    /// Where it is broken: a table, a row, or a row's property.
    public var place: String
    /// What was found there.
    public var what: String
    /// How serious it is.
    public var severity: Severity

    /// A violation.
    public init(rule: String, place: String, what: String, severity: Severity = .error) {
        self.rule = rule
        self.place = place
        self.what = what
        self.severity = severity
    }

    /// Rule, place and finding in one line.
    public var description: String { "\(rule): \(place): \(what)" }
}
