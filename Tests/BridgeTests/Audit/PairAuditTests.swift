import Bridge
import Foundation
import LegacyStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// Whether history explains the pairs of a many-to-many.
///
/// Before adoption: Tag/1, Tag/2, Book/1 with Tag/1, Book/2 without tags, Book/3 with Tag/1 and Tag/2. Since: Book/2 got a
/// title, and Book/1 Tag/2 as well. The rows of `Z_1TAGS` are book and tag.
@Suite struct PairAuditTests {
    private let sample: BridgeSample
    private let backup: String

    init() throws {
        sample = try BridgeSample()
        let before = try LegacyInstance(path: sample.path)
        let tags = try ["a", "b"].map { try before.insert("Tag", ["name": .string($0)]) }
        func book(_ tags: [ObjectReference]) throws -> ObjectReference? {
            try before.save(
                ObjectBatch([
                    .insert(entity: "Book", name: "b", values: ["tags": .toMany(tags.map { .existing($0) })])
                ])
            ).objects["b"]
        }
        let first = try #require(try book([tags[0]]))
        let second = try #require(try book([]))
        _ = try book(tags)
        before.close()
        let bridge = try sample.open { $0.guardMode = .off }
        backup = try #require(bridge.adoptionBackup)
        try bridge.legacy.update(second, ["title": .string("Kim")])
        _ = try bridge.legacy.save(
            ObjectBatch([.update(first, values: ["tags": .toMany(tags.map { .existing($0) })], expecting: nil)]))
        bridge.close()
        #expect(
            try sample.rows("SELECT Z_1BOOKS, Z_7TAGS FROM Z_1TAGS ORDER BY 1, 2")
                == [[1, 1], [1, 2], [3, 1], [3, 2]])
    }

    private func audit() throws -> AuditReport { try Audit.run(Store.open(sample.path)) }

    @Test func aPairThatATrackedChangeMadeIsNoViolation() throws {
        let report = try audit()
        #expect(report.violations == [])
        #expect(report.pairs == 4 && report.backup == backup)
    }

    @Test(
        "a pair that nobody wrote of is found, also where its objects changed otherwise",
        arguments: [
            (
                "INSERT INTO Z_1TAGS (Z_1BOOKS, Z_7TAGS) VALUES (2, 1)", "Book/2.tags",
                "Tag/1 is among them, and was not in the backup, and no change of either marks it"
            ),
            (
                "DELETE FROM Z_1TAGS WHERE Z_1BOOKS = 3 AND Z_7TAGS = 1", "Book/3.tags",
                "Tag/1 was among them in the backup, and is no more, and no change of either marks it"
            ),
        ])
    func planted(sql: String, place: String, what: String) throws {
        try sample.foreign(sql)
        #expect(try audit().violations == [.init(rule: .pair, place: place, what: what)])
    }

    @Test("each end's change alone explains a pair", arguments: [(1, 1), (7, 2)])
    func oneEnd(entity: Int, key: Int) throws {
        // Transaction 7 changed Book/1 and Tag/2: without the change of one of them, the other's is left.
        let rows = "ZTRANSACTIONID = 7 AND ZENTITY = \(entity) AND ZENTITYPK = \(key)"
        #expect(try sample.rows("SELECT count(*) FROM ACHANGE WHERE \(rows)") == [[1]])
        try sample.foreign("DELETE FROM ACHANGE WHERE \(rows)")
        #expect(try audit().violations.filter { $0.rule == .pair } == [])
        // And without both, none is.
        try sample.foreign("DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 7")
        #expect(try audit().violations.filter { $0.rule == .pair }.map(\.place) == ["Book/1.tags"])
    }

    @Test func aDeletedObjectsPairsGoWithIt() throws {
        let bridge = try sample.open { $0.guardMode = .off }
        _ = try bridge.legacy.save(
            ObjectBatch([.delete(ObjectReference(entity: "Tag", key: 1), expecting: nil)]))
        bridge.close()
        #expect(try sample.rows("SELECT count(*) FROM Z_1TAGS") == [[2]])
        #expect(try audit().violations == [])
    }

    /// Bits of to-manys in bitmaps of others are not reliable.
    @Test func anyUpdateOfAStrangersExplainsAPair() throws {
        try sample.foreign(
            """
            BEGIN IMMEDIATE;
            INSERT INTO Z_1TAGS (Z_1BOOKS, Z_7TAGS) VALUES (2, 1);
            UPDATE ZBOOK SET Z_OPT = Z_OPT + 1 WHERE Z_PK = 2;
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
                SELECT max(Z_PK) + 1, 16001, 1, 1, 2, 8, x'000001' FROM ACHANGE;
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (8, 16002, 1.5);
            UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_ENT IN (16001, 16002);
            COMMIT;
            """)
        let report = try audit()
        #expect(report.violations == [] && report.foreignCount == 1)
    }
}
