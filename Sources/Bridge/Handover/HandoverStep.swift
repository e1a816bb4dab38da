import StoreFormat

/// A step of a handover, as it passes.
public struct HandoverStep: Sendable, Hashable {
    /// The steps in their order; `plan` ends a dry run, `thaw` comes only where a failure is undone.
    public enum Name: String, Sendable, Hashable {
        case preflight
        case plan
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
    /// What the preflight looked at; empty for other steps.
    public var checks: [HandoverCheck]

    /// Makes a step, passed where nothing else is said.
    public init(_ name: Name, isPassed: Bool = true, detail: String, checks: [HandoverCheck] = []) {
        self.name = name
        self.isPassed = isPassed
        self.detail = detail
        self.checks = checks
    }
}

/// One thing that a preflight looked at.
public struct HandoverCheck: Sendable, Hashable {
    /// What is looked at, in the preflight's order.
    public enum Name: String, Sendable, Hashable {
        /// Both stacks and the file have the same schema.
        case schemas
        /// Both stacks have replayed all history.
        case positions
        /// History has no gap since adoption, or since the last purge.
        case history
        /// The unit breaks no rule of the format that it did not break at adoption.
        case rules
        /// Which deletes will reach rows of another owner.
        case deletes
        /// Every row reads equal through both stacks.
        case rows
    }

    /// What was looked at.
    public var name: Name
    /// Whether the handover may go on.
    public var isPassed: Bool
    /// What was found, in words.
    public var detail: String
    /// What helps, where the handover may not go on.
    public var way: String?
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

/// A moment between two steps, for tests that end the process there: a handover must survive it.
public enum HandoverMoment: String, Sendable, Hashable, CaseIterable {
    /// Nothing has been written yet.
    case preflightPassed
    /// The unit's flag is set.
    case frozen
    /// Both stacks have replayed.
    case replayed
    /// What changed since the preflight reads equal.
    case compared
    /// The switch is written and not committed.
    case beforeCommit
    /// The switch is committed.
    case afterCommit
}
