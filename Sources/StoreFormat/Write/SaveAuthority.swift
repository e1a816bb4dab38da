import Foundation

/// In whose name a save is made: what the ownership check and `COEXIST_TRANSACTION` take.
public struct SaveAuthority: Sendable, Hashable {
    /// The stack that saves.
    public var stack: StackName
    /// The instance's random name.
    public var instanceName: String
    /// The epochs that the instance holds, by unit: those of its opening or its last replay. A unit that is not in it
    /// came with an adoption after the opening, and holds nothing yet.
    public var epochs: [String: Int64]

    /// An authority.
    public init(stack: StackName, instanceName: String, epochs: [String: Int64]) {
        self.stack = stack
        self.instanceName = instanceName
        self.epochs = epochs
    }
}

/// What a history transaction says of its origin.
public struct TransactionIdentity: Sendable, Hashable {
    /// `transactionAuthor`; the application's to set.
    public var author: String?
    /// The context's name.
    public var contextName: String?
    /// The name of the process.
    public var processID: String
    /// The bundle identifier of the program, or its name where it has none.
    public var bundleID: String

    /// An identity; process and bundle are this program's own where they are not given.
    public init(
        author: String? = nil, contextName: String? = nil, processID: String? = nil, bundleID: String? = nil
    ) {
        self.author = author
        self.contextName = contextName
        self.processID = processID ?? Self.process
        self.bundleID = bundleID ?? Self.bundle
    }

    private static let process = ProcessInfo.processInfo.processName
    private static let bundle = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
}
