import SQLite
import StoreModel

/// What a migration of a store to a model would do.
public struct MigrationPlan: Sendable {
    /// The store as it is.
    public let store: Store
    /// How its entities and properties become the new model's.
    public let mapping: InferredMapping
    /// Whether there is anything to do: not where the version hashes agree already.
    public let isNeeded: Bool
    /// What has no place in the new model, with how many objects have it.
    public internal(set) var losses: [MigrationLoss] = []
    /// Why it may not be done; empty where it may.
    public internal(set) var refusals: [MappingRefusal] = []

    /// What is done, in the order of the entities.
    public var steps: [MappingStep] { isNeeded ? mapping.steps : [] }
}

/// A migration that was not done, with all its reasons. The store is as it was.
public struct MigrationRefused: Error, Sendable, CustomStringConvertible {
    /// The plan, with its refusals.
    public let plan: MigrationPlan

    /// The refusals in words.
    public var message: String {
        "\(plan.store.path) cannot be migrated: \(plan.refusals.map { "\($0.place): \($0.reason)" }.joined(separator: "; "))"
    }

    /// The ways out, each once, and with its place where there are several.
    public var way: String {
        if plan.refusals.count == 1 { return plan.refusals[0].way }
        var seen: Set<String> = []
        return plan.refusals.map { "\($0.place): \($0.way)" }.filter { seen.insert($0).inserted }.joined(
            separator: "; ")
    }

    /// Message and way.
    public var description: String { "MigrationRefused: \(message). \(way)" }
}

/// The points that a migration passes.
public enum MigrationStage: Sendable, Hashable {
    /// Nobody else can read or write the store.
    case locked
    case rowsCopied
    case historyCopied
    /// The new store is whole, beside the old one.
    case built
    /// A copy of the old store lies beside it.
    case backedUp
    /// The new store breaks no rule that the old one did not.
    case verified
    /// The new content is being put in place of the old: so many pages remain.
    case swapping(remaining: Int)
    /// The store is the new one.
    case swapped
    /// The temporary files are gone.
    case cleaned
}

/// What a migration calls on its way.
public struct MigrationHooks {
    /// Puts the guard's triggers of that mode on the new store, in its transaction.
    public var installGuard: (GuardMode, Connection) throws -> Void
    /// Told of each stage; an error that is thrown before `swapped` ends the migration, and the store is as it was.
    public var reached: (MigrationStage) throws -> Void

    /// Makes hooks.
    public init(
        installGuard: @escaping (GuardMode, Connection) throws -> Void = { _, _ in },
        reached: @escaping (MigrationStage) throws -> Void = { _ in }
    ) {
        self.installGuard = installGuard
        self.reached = reached
    }
}

/// What a migration did.
public struct MigrationReport: Sendable {
    /// What was planned, and done.
    public internal(set) var plan: MigrationPlan
    /// The copy of the store from before; nil where nothing had to be done.
    public let backup: String?
    /// What the person should know: damage that the copy has, a log that could not be moved into the store.
    public internal(set) var warnings: [String] = []
}
