import StoreFormat

/// A step of a handover, as it passes.
public struct HandoverStep: Sendable, Hashable {
    /// The steps in their order; `thaw` comes only where a failure is undone.
    public enum Name: String, Sendable, Hashable {
        case preflight
        case freeze
        case replay
        case compare
        case `switch`
        case thaw
    }

    /// Which step this is.
    public var name: Name
    /// Whether the handover may go on; false where the step failed or undoes one.
    public var isPassed: Bool
    /// What the step did or found, in words.
    public var detail: String

    /// Makes a step, passed where nothing else is said.
    public init(_ name: Name, isPassed: Bool = true, detail: String) {
        self.name = name
        self.isPassed = isPassed
        self.detail = detail
    }
}

/// What a handover came to.
public struct HandoverResult: Sendable, Hashable {
    /// The entity that the handover was asked for.
    public var entity: String
    /// Every entity that changed hands with it.
    public var unit: [String]
    /// The new owner.
    public var owner: StackName
    /// The epoch that began with the switch.
    public var epoch: Int64
    /// The last history transaction under the old owner.
    public var token: HistoryToken
}
