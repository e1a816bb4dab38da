import SQLite
import StoreModel

/// Checks a store against every rule of the format and of our own tables.
///
/// One snapshot, read with one statement for many rules, so that the work is a few scans of each table. Nothing is
/// written.
public struct StoreVerifier {
    /// How many violations of one rule `verify` returns; more are counted.
    public static let limit = 1_000

    /// The violations, by subject. Beyond `limit` of one rule and severity, one more says in `what` how many were left out.
    /// - Throws: `StoreError` or `SQLiteError` if the store cannot be read.
    public static func verify(_ connection: Connection, store: Store) throws -> [Violation] {
        var result: [Violation] = []
        var counts: [[String]: Int] = [:]
        try forEachViolation(connection, store: store) { violation in
            let count = counts[[violation.rule, violation.severity.rawValue], default: 0] + 1
            counts[[violation.rule, violation.severity.rawValue]] = count
            if count <= limit { result.append(violation) }
        }
        for (key, count) in counts.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) where count > limit {
            let severity = Violation.Severity(rawValue: key[1]) ?? .error
            result.append(
                Violation(rule: key[0], place: "elsewhere", what: "and \(count - limit) more", severity: severity))
        }
        return result
    }

    /// Calls the body for each violation as it is found, however many there are. Joins a transaction that is open.
    public static func forEachViolation(
        _ connection: Connection, store: Store, _ body: (Violation) throws -> Void
    ) throws {
        if connection.isInTransaction { return try run(connection, store, body) }
        try connection.transaction(.deferred) { try run(connection, store, body) }
    }

    private static func run(_ connection: Connection, _ store: Store, _ body: (Violation) throws -> Void) throws {
        let store = try store.rereadInTransaction(connection)
        try withoutActuallyEscaping(body) { body in
            let context = try VerifyContext(connection, store, body)
            for rules in groups { try rules.check(context) }
        }
    }

    private static var groups: [any VerifierRules.Type] {
        [
            FileRules.self, CatalogueRules.self, MetadataRules.self, TableRules.self, RowRules.self, ValueRules.self,
            ExternalFileRules.self, RelationshipRules.self, JoinRules.self, OrderRules.self, UniqueRules.self,
            IndexRules.self, DerivedRules.self, HistoryRules.self, HistoryRowRules.self, OwnershipRules.self,
            WriterRules.self, GuardRules.self,
        ]
    }
}

/// The rules about one subject.
protocol VerifierRules: Sendable {
    static func check(_ context: VerifyContext) throws
}
