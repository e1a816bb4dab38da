import Bridge
import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing
import Varlink

/// An audit's memory does not grow with history.
@Suite struct AuditMemoryTests {
    private static let python = Programs.find("python3")
    private static let objects = 5_000

    /// Runs a command, and prints the most memory that it had, in KiB, behind what it printed itself.
    private static let program = """
        import resource, subprocess, sys
        result = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE)
        sys.stdout.buffer.write(result.stdout)
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
        """

    /// A store of 5,000 shelves, each changed so many times since adoption, in transactions of 1,000 changes.
    private func store(_ changes: Int) throws -> SampleStore {
        let sample = try SampleStore()
        let connection = try StoreConnector.connect(sample.path, .writer(.normal))
        try connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.objects))
            INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZLABEL) SELECT i, 6, 1, 'shelf ' || i FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(Self.objects) WHERE Z_NAME = 'Shelf'
            """)
        try RunningDaemon(store: sample.path, folder: sample.folder).stop()
        // A shelf's slots: label, books.
        try connection.execute(
            """
            BEGIN IMMEDIATE;
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(changes - 1))
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
            SELECT i + 1, 16001, 1, 6, i % \(Self.objects) + 1, i / 1000 + 1, x'80' FROM n;
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) SELECT DISTINCT ZTRANSACTIONID, 16002, 1 FROM ACHANGE;
            INSERT INTO COEXIST_TRANSACTION SELECT Z_PK, 'legacy', 'someone', 'Shelf=1', NULL FROM ATRANSACTION;
            INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, \(changes)), (16002, 'TRANSACTION', 0, \(changes / 1000))
                ON CONFLICT DO UPDATE SET Z_MAX = excluded.Z_MAX;
            UPDATE ZSHELF SET ZLABEL = 'new', Z_OPT = Z_OPT + 1;
            UPDATE COEXIST_STATE SET COMMITS = COMMITS + (SELECT count(*) FROM ATRANSACTION);
            COMMIT
            """)
        return sample
    }

    private func audit(_ changes: Int) throws -> (report: JSON, peak: Int) {
        let sample = try store(changes)
        let result = try Programs.run(
            Self.python ?? "", ["-c", Self.program, Programs.coexistctl, "audit", sample.path, "--json"])
        return (try JSON(parsing: result.lines.first ?? ""), (Int(result.lines.last ?? "") ?? 0) << 10)
    }

    @Test(.enabled(if: python != nil, "python3 is not installed"))
    func aHistoryOfHalfAMillionChangesTakesTheCachesAndNoMore() throws {
        let small = try audit(20_000)
        let large = try audit(500_000)
        for (report, changes) in [(small.report, 20_000), (large.report, 500_000)] {
            #expect(report["violationCount"] == 0, "\(report["violations"] ?? nil)")
            #expect(report["changes"]?.intValue == changes && report["rows"]?.intValue == Self.objects)
        }
        // The page caches of the store, of its backup and of what SQLite sorts have 16 MB each. Held in memory, a change takes
        // over 100 bytes.
        #expect(large.peak - small.peak < 48 << 20, "\(small.peak >> 20) MiB, \(large.peak >> 20) MiB")
    }
}
