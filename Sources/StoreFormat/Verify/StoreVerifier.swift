import SQLite
import StoreModel

/// Checks a store against every rule of the format and of our own tables.
///
/// One statement reads for many rules, so that the work is a few scans of each table. Nothing is written. The rules of each
/// subject see one snapshot; between two subjects it is given up, so that the log beside a store in use can be moved
/// meanwhile.
public struct StoreVerifier {
    /// How many violations of one rule `verify` returns; more are counted.
    public static let limit = 1_000
    /// The place of the violation that says how many more there are.
    static let elsewhere = "elsewhere"

    /// The violations, by subject. Of a damaged file, those that can still be found. Beyond `limit` of one rule and
    /// severity, one more says in `what` how many were left out.
    /// - Parameters:
    ///   - judgesYoungFiles: whether external files that no row names count also where they are so young that they may be
    ///     of a save that is running.
    ///   - progress: called with the subjects that are done, and with all; what it throws ends the verification.
    /// - Throws: `StoreError` or `SQLiteError` if the store cannot be read at all.
    public static func verify(
        _ connection: Connection, store: Store, judgesYoungFiles: Bool = false,
        progress: (Int, Int) throws -> Void = { _, _ in }
    ) throws -> [Violation] {
        var result: [Violation] = []
        var counts: [[String]: Int] = [:]
        try forEachViolation(
            connection, store: store, judgesYoungFiles: judgesYoungFiles, progress: progress
        ) { violation in
            let count = counts[[violation.rule, violation.severity.rawValue], default: 0] + 1
            counts[[violation.rule, violation.severity.rawValue]] = count
            if count <= limit { result.append(violation) }
        }
        for (key, count) in counts.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) where count > limit {
            let severity = Violation.Severity(rawValue: key[1]) ?? .error
            result.append(
                Violation(rule: key[0], place: elsewhere, what: "and \(count - limit) more", severity: severity))
        }
        return result
    }

    /// Calls the body for each violation as it is found, however many there are. Joins a transaction that is open: then all
    /// is one snapshot.
    public static func forEachViolation(
        _ connection: Connection, store: Store, judgesYoungFiles: Bool = false,
        progress: (Int, Int) throws -> Void = { _, _ in }, _ body: (Violation) throws -> Void
    ) throws {
        let joins = connection.isInTransaction
        if !joins { try connection.execute("BEGIN") }
        // Not committed: of a damaged file that fails.
        defer { if !joins { connection.rollback() } }
        try run(connection, store, judgesYoungFiles, progress, body, oneSnapshot: joins)
    }

    private static func run(
        _ connection: Connection, _ store: Store, _ judgesYoungFiles: Bool, _ progress: (Int, Int) throws -> Void,
        _ body: (Violation) throws -> Void, oneSnapshot: Bool
    ) throws {
        try withoutActuallyEscaping(body) { body in
            let context = try VerifyContext(connection, store, judgesYoungFiles: judgesYoungFiles, body)
            for (i, rules) in groups.enumerated() {
                if !oneSnapshot { connection.rollback() }
                try progress(i, groups.count)
                if !oneSnapshot {
                    try connection.execute("BEGIN")
                    try context.reread()
                }
                try context.reporting(damagedIn: "\(rules)".replacing("Rules", with: "")) { try rules.check(context) }
            }
            if !oneSnapshot { connection.rollback() }
            try progress(groups.count, groups.count)
        }
    }

    private static let groups: [any VerifierRules.Type] = [
        FileRules.self, CatalogueRules.self, MetadataRules.self, TableRules.self, RowRules.self, ValueRules.self,
        ValidationRules.self, ExternalFileRules.self, RelationshipRules.self, CountRules.self, JoinRules.self,
        OrderRules.self, UniqueRules.self,
        IndexRules.self, SpatialRules.self, DerivedRules.self, HistoryRules.self, HistoryRowRules.self,
        OwnershipRules.self, WriterRules.self, GuardRules.self,
    ]
}

/// The rules about one subject.
protocol VerifierRules: Sendable {
    static func check(_ context: VerifyContext) throws
}
