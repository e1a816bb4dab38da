import StoreFormat

/// What an audit found.
public struct AuditReport: Sendable, Hashable {
    /// What history or the record does not prove, or contradicts.
    public struct Violation: Sendable, Hashable {
        /// What was looked for.
        public enum Rule: String, Sendable, Hashable {
            /// A unit was written by a stack that did not own it at that transaction.
            case writer
            /// The epoch that a transaction notes does not fit the record of handovers.
            case epoch
            /// The record of handovers contradicts itself.
            case record
            /// Transactions or changes are missing.
            case gap
            /// History does not explain that an object is there, or is not.
            case object
            /// A column differs from the backup, and no change marks its property.
            case column
            /// A pair of a many-to-many is there and was not in the backup, or the other way round, and no change of either
            /// object marks it.
            case pair
        }

        /// What was looked for.
        public var rule: Rule
        /// A transaction, an object, an object's property or a unit.
        public var place: String
        /// What was found there.
        public var what: String

        /// A violation.
        public init(rule: Rule, place: String, what: String) {
            self.rule = rule
            self.place = place
            self.what = what
        }
    }

    /// A transaction that no instance of ours wrote: history has it, and the record of writers has not.
    public struct ForeignTransaction: Sendable, Hashable {
        /// The transaction's number.
        public var number: Int64
        /// When, in seconds since 2001-01-01 UTC.
        public var timestamp: Double
        /// The program, as far as the transaction names it.
        public var program: String?
        /// The entities whose objects it changed, by name.
        public var entities: [String]

        /// A stranger's transaction.
        public init(number: Int64, timestamp: Double, program: String? = nil, entities: [String]) {
            self.number = number
            self.timestamp = timestamp
            self.program = program
            self.entities = entities
        }
    }

    /// A migration of the store to another model, which history has as a transaction without changes.
    public struct Migration: Sendable, Hashable {
        /// The transaction's number.
        public var number: Int64
        /// When, in seconds since 2001-01-01 UTC.
        public var timestamp: Double
        /// The program, as far as the transaction names it.
        public var program: String?
        /// The digest of the model before, where the transaction says it.
        public var digestBefore: String?

        /// A migration.
        public init(number: Int64, timestamp: Double, program: String?, digestBefore: String?) {
            self.number = number
            self.timestamp = timestamp
            self.program = program
            self.digestBefore = digestBefore
        }
    }

    /// What was found, of each rule at most `limit`.
    public var violations: [Violation] = []
    /// How many there are in all.
    public var violationCount = 0
    /// Transactions of strangers, at most `limit`.
    public var foreign: [ForeignTransaction] = []
    /// How many of those there are in all.
    public var foreignCount = 0
    /// Migrations, oldest first.
    public var migrations: [Migration] = []
    /// The number after which history was audited: that of the adoption or of the last purge.
    public var start: Int64 = 0
    /// The last transaction's number.
    public var last: Int64 = 0
    /// Transactions that were looked at.
    public var transactions = 0
    /// Changes that were looked at.
    public var changes = 0
    /// The backup that the rows were compared with; nil where they were not.
    public var backup: String?
    /// Rows that were compared with the backup.
    public var rows = 0
    /// Pairs of many-to-manys that were compared with the backup.
    public var pairs = 0
    /// What could not be looked at, and why.
    public var notes: [String] = []

    /// How many violations of a rule, and foreign transactions, a report lists.
    public static let limit = 1_000

    mutating func add(_ rule: Violation.Rule, _ place: String, _ what: String) {
        violationCount += 1
        counts[rule, default: 0] += 1
        if counts[rule, default: 0] <= Self.limit {
            violations.append(Violation(rule: rule, place: place, what: what))
        }
    }

    private var counts: [Violation.Rule: Int] = [:]
}
