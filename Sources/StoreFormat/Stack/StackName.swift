/// One of the two ways to map rows to objects.
public enum StackName: String, Sendable, Hashable, CaseIterable, Codable {
    /// Managed objects.
    case legacy
    /// `@Model` classes.
    case model

    /// The other stack.
    public var other: StackName { self == .legacy ? .model : .legacy }
}
