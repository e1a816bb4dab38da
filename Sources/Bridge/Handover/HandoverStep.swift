import StoreFormat

/// A step of a handover, as it passes.
public struct HandoverStep: Sendable, Hashable {
    public enum Name: String, Sendable, Hashable {
        case preflight
        case freeze
        case replay
        case compare
        case `switch`
        case thaw
    }

    public var name: Name
    public var isPassed: Bool
    public var detail: String

    public init(_ name: Name, isPassed: Bool = true, detail: String) {
        self.name = name
        self.isPassed = isPassed
        self.detail = detail
    }
}

/// What a handover came to.
public struct HandoverResult: Sendable, Hashable {
    public var entity: String
    /// Every entity that changed hands with it.
    public var unit: [String]
    public var owner: StackName
    public var epoch: Int64
    /// The last history transaction under the old owner.
    public var token: HistoryToken
}
