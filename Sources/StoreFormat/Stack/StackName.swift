/// One of the two ways to map rows to objects.
public enum StackName: String, Sendable, Hashable, CaseIterable, Codable {
    /// The stack of Core Data's API: managed objects.
    case legacy
    /// The stack of SwiftData's API: `@Model` classes.
    case model

    /// The stack that has the API of a framework, by the framework's name; nil for any other name.
    public static func named(_ framework: String) -> StackName? {
        switch framework.lowercased().filter(\.isLetter) {
        case "coredata": .legacy
        case "swiftdata": .model
        default: nil
        }
    }

    /// The other stack.
    public var other: StackName { self == .legacy ? .model : .legacy }
}
