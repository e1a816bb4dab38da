import Bridge
import Foundation
import LegacyStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// The audit on a store with a known story, sound and with each violation planted by plain SQL.
///
/// | transaction | by | does |
/// | --- | --- | --- |
/// | 1, 2 | before adoption | insert Tag/1 and Book/1 |
/// | 3 | legacy | inserts Tag/2, Tag/3 in one save |
/// | handover of Tag to model, epoch 2 | | |
/// | 4 | model | updates Tag/1's name |
/// | 5 | legacy | updates Book/1's title |
/// | 6 | model | inserts Tag/4 |
/// | 7 | model | deletes Tag/4 |
@Suite struct AuditTests {
    private static func story() throws -> BridgeSample {
        let sample = try BridgeSample()
        let before = try LegacyInstance(path: sample.path)
        let tag = try before.insert("Tag", ["name": .string("old")])
        let book = try before.insert("Book", ["title": .string("Dune"), "pages": .integer(412)])
        before.close()
        let bridge = try sample.open { $0.guardMode = .off }
        _ = try bridge.legacy.save(
            ObjectBatch(
                ["x", "y"].map { .insert(entity: "Tag", name: $0, values: ["name": .attribute(.string($0))]) }))
        _ = try bridge.handover("Tag", to: .model)
        try bridge.model.update(tag, ["name": .string("new")])
        try bridge.legacy.update(book, ["title": .string("Dune Messiah")])
        let last = try bridge.model.insert("Tag", ["name": .string("short")])
        _ = try bridge.model.save(ObjectBatch([.delete(last, expecting: nil)]))
        bridge.close()
        return sample
    }

    private static func audit(_ sample: BridgeSample, since: String? = nil) throws -> AuditReport {
        try Audit.run(Store.open(sample.path), since: since)
    }

    @Test func aSoundStoreHasNoViolationsAndIsNotTouched() throws {
        let sample = try Self.story()
        let before = try FileImage.of(sample.folder.path)
        let report = try Self.audit(sample)
        #expect(report.violations == [])
        #expect(report.foreign == [] && report.notes == [])
        #expect(report.start == 2 && report.last == 7)
        #expect(report.transactions == 5)
        #expect(report.changes == 6)
        // Tag/1 to Tag/4 and Book/1.
        #expect(report.rows == 5)
        #expect(report.backup?.hasPrefix(sample.path) == true)
        #expect(try FileImage.of(sample.folder.path) == before)
    }

    static let planted: [(sql: String, rule: AuditReport.Violation.Rule, place: String, what: String)] = [
        // A change by the wrong stack.
        (
            "UPDATE COEXIST_TRANSACTION SET STACK = 'legacy' WHERE NUMBER = 4", .writer, "transaction 4",
            "Tag/1 was updated by the legacy stack, but Tag was owned by the model stack at epoch 2"
        ),
        (
            "UPDATE COEXIST_TRANSACTION SET STACK = 'model' WHERE NUMBER = 3", .writer, "transaction 3",
            "Tag/2 was inserted by the model stack, with 1 more objects of its unit, but Tag was owned by the legacy stack "
                + "at epoch 1"
        ),
        (
            "UPDATE COEXIST_TRANSACTION SET STACK = 'legacy' WHERE NUMBER = 7", .writer, "transaction 7",
            "Tag/4 was deleted by the legacy stack, but Tag was owned by the model stack at epoch 2"
        ),
        (
            "UPDATE COEXIST_TRANSACTION SET STACK = 'someone' WHERE NUMBER = 7", .writer, "transaction 7",
            "written by someone, which is no stack"
        ),
        // A change of a shelf's label, slipped into a transaction of the other stack.
        (
            """
            UPDATE COEXIST_UNIT SET OWNER = 'model', EPOCH = 2 WHERE NAME = 'Book';
            INSERT INTO COEXIST_HANDOVER (UNIT, PREVIOUS, OWNER, EPOCH, AT, NUMBER) VALUES ('Book', 'legacy', 'model', 2, 1, 4)
            """, .writer, "transaction 5",
            "Book/1 was updated by the legacy stack, but Book was owned by the model stack at epoch 2"
        ),
        // An epoch that does not fit.
        (
            "UPDATE COEXIST_TRANSACTION SET EPOCHS = 'Tag=1' WHERE NUMBER = 4", .epoch, "transaction 4",
            "notes epoch 1 of Tag, which was at epoch 2"
        ),
        (
            "UPDATE COEXIST_TRANSACTION SET EPOCHS = 'Tag=3' WHERE NUMBER = 6", .epoch, "transaction 6",
            "notes epoch 3 of Tag, which was at epoch 2"
        ),
        (
            "UPDATE COEXIST_TRANSACTION SET EPOCHS = '' WHERE NUMBER = 5", .epoch, "transaction 5",
            "Book/1 was updated, and no epoch of Book is noted"
        ),
        (
            "UPDATE COEXIST_TRANSACTION SET EPOCHS = 'Nothing=1' WHERE NUMBER = 5", .epoch, "transaction 5",
            "notes an epoch of Nothing, which is no unit"
        ),
        // A record of handovers that contradicts itself.
        (
            "DELETE FROM COEXIST_HANDOVER", .record, "Tag",
            "the register says model at epoch 2, the record of handovers ends with model at epoch 1"
        ),
        (
            "UPDATE COEXIST_HANDOVER SET PREVIOUS = 'model'", .record, "Tag",
            "the handover to epoch 2 was from model to model, but model was the owner"
        ),
        (
            "UPDATE COEXIST_UNIT SET OWNER = 'legacy' WHERE NAME = 'Tag'", .record, "Tag",
            "the register says legacy at epoch 2, the record of handovers ends with model at epoch 2"
        ),
        (
            """
            INSERT INTO COEXIST_HANDOVER (UNIT, PREVIOUS, OWNER, EPOCH, AT, NUMBER)
                VALUES ('Tag', 'model', 'legacy', 3, 1, 2), ('Tag', 'legacy', 'model', 4, 1, 3);
            UPDATE COEXIST_UNIT SET EPOCH = 4 WHERE NAME = 'Tag'
            """, .record, "Tag", "the handover to epoch 3 lies before the one to epoch 2"
        ),
        // A gap in history.
        (
            """
            DELETE FROM ATRANSACTION WHERE Z_PK = 5; DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 5;
            DELETE FROM COEXIST_TRANSACTION WHERE NUMBER = 5
            """, .gap, "transaction 5", "transaction 5 is missing from history"
        ),
        (
            "DELETE FROM ATRANSACTION WHERE Z_PK BETWEEN 3 AND 4", .gap, "transaction 3",
            "transactions 3 to 4 are missing from history"
        ),
        (
            "DELETE FROM ATRANSACTION WHERE Z_PK = 7; DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 7", .gap,
            "transaction 7", "transaction 7 is missing from history"
        ),
        ("DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 5", .gap, "transaction 5", "has no changes"),
        (
            "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 3 AND ZENTITYPK = 3", .gap, "transaction 4",
            "1 change row is missing before row 5"
        ),
        (
            "INSERT INTO COEXIST_TRANSACTION VALUES (12, 'legacy', 'i', 'Tag=1', NULL)", .gap, "transaction 12",
            "COEXIST_TRANSACTION tells of it, but history ends at 7"
        ),
        // An object that history does not explain.
        (
            "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT 9, Z_ENT, 1, 'z' FROM ZTAG WHERE Z_PK = 1", .object,
            "Tag/9", "it is there, and history has no insert of it"
        ),
        (
            "DELETE FROM ZTAG WHERE Z_PK = 2", .object, "Tag/2",
            "inserted in transaction 3, but it is gone, and history has no delete of it"
        ),
        (
            "DELETE FROM ZBOOK", .object, "Book/1",
            "updated in transaction 5, but it is gone, and history has no delete of it"
        ),
        (
            "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT 4, Z_ENT, 1, 'z' FROM ZTAG WHERE Z_PK = 1", .object,
            "Tag/4", "deleted in transaction 7, but it is there"
        ),
        (
            "UPDATE ACHANGE SET ZCHANGETYPE = 0, ZCOLUMNS = NULL WHERE ZTRANSACTIONID = 4", .object, "Tag/1",
            "inserted in transaction 4, but it existed already"
        ),
        // A column that differs without a mark.
        (
            "UPDATE ZBOOK SET ZPAGES = 500", .column, "Book/1.pages",
            "ZPAGES differs from the backup, and no change marks pages"
        ),
        (
            "UPDATE ZBOOK SET ZSHELF = 3", .column, "Book/1.shelf",
            "ZSHELF differs from the backup, and no change marks shelf"
        ),
    ]

    @Test("each planted violation is found, and said in words", arguments: planted.indices)
    func found(_ index: Int) throws {
        let (sql, rule, place, what) = Self.planted[index]
        let sample = try Self.story()
        try sample.foreign(sql)
        let found = try Self.audit(sample).violations
        #expect(found.contains(.init(rule: rule, place: place, what: what)), "\(found)")
    }

    @Test func aVersionThatGrewWithoutAChangeIsFound() throws {
        let sample = try BridgeSample()
        let before = try LegacyInstance(path: sample.path)
        try before.insert("Tag", ["name": .string("old")])
        before.close()
        try sample.open { $0.guardMode = .off }.close()
        #expect(try Self.audit(sample).violations == [])
        try sample.foreign("UPDATE ZTAG SET Z_OPT = 5")
        #expect(
            try Self.audit(sample).violations == [
                .init(
                    rule: .column, place: "Tag/1",
                    what: "its version is 5, in the backup it is 1, and history has no change of it")
            ])
    }

    /// The other end of a relationship gets a change row and no new version: that is no write of its owner's row.
    @Test func theOtherEndOfARelationshipIsNoWrite() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.seed = OwnershipSeed(entities: ["Shelf": .model]) }
        let shelf = try bridge.model.insert("Shelf", ["label": .string("A")])
        let book = try bridge.legacy.insert("Book", ["title": .string("Dune")])
        _ = try bridge.legacy.save(
            ObjectBatch([.update(book, values: ["shelf": .toOne(.existing(shelf))], expecting: nil)]))
        bridge.close()
        let report = try Self.audit(sample)
        #expect(report.violations == [])
        #expect(report.changes == 4)
        // With the label marked too, it would be one. A shelf's slots: label, books.
        try GuardTriggersOff.run(
            sample, "UPDATE ACHANGE SET ZCOLUMNS = x'C0' WHERE ZTRANSACTIONID = 3 AND ZCOLUMNS = x'40'")
        #expect(
            try Self.audit(sample).violations == [
                .init(
                    rule: .writer, place: "transaction 3",
                    what: "Shelf/1 was updated by the legacy stack, but Shelf was owned by the model stack at epoch 1")
            ])
    }

    @Test func aForeignTrackedTransactionIsListedAsSuch() throws {
        let sample = try Self.story()
        try sample.foreign(
            """
            BEGIN IMMEDIATE;
            UPDATE ZTAG SET ZNAME = 'theirs', Z_OPT = Z_OPT + 1 WHERE Z_PK = 1;
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
                SELECT max(Z_PK) + 1, 16001, 1, (SELECT Z_ENT FROM ZTAG LIMIT 1), 1, 8, x'80' FROM ACHANGE;
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (8, 16002, 1.5);
            UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_ENT IN (16001, 16002);
            COMMIT;
            """)
        let report = try Self.audit(sample)
        #expect(report.violations == [])
        #expect(report.foreign == [.init(number: 8, timestamp: 1.5, entities: ["Tag"])])
        #expect(report.foreignCount == 1)
    }

    @Test func afterAPurgeTheAuditBeginsAtItsFloorAndTheRowsNeedALaterBackup() throws {
        let sample = try Self.story()
        let later = sample.folder.file("later.sqlite")
        try sample.foreign("DELETE FROM ACHANGE WHERE ZTRANSACTIONID <= 4; DELETE FROM ATRANSACTION WHERE Z_PK <= 4")
        #expect(try Self.audit(sample).violations.contains { $0.rule == .gap })
        try sample.foreign("UPDATE COEXIST_STATE SET PURGE_FLOOR = 4")
        let report = try Self.audit(sample)
        #expect(report.violations == [])
        #expect(report.start == 4 && report.transactions == 3)
        #expect(report.backup == nil && report.notes.count == 2)
        try StoreBackup.copy(sample.path, to: later)
        let since = try Self.audit(sample, since: later)
        #expect(since.violations == [] && since.backup == later && since.rows == 4)
        try sample.foreign("UPDATE ZTAG SET ZNAME = 'q' WHERE Z_PK = 3")
        #expect(try Self.audit(sample, since: later).violations.map(\.place) == ["Tag/3.name"])
    }

    @Test func aBackupThatCannotServeIsRefused() throws {
        let sample = try Self.story()
        let other = try Self.story()
        let error = #expect(throws: StoreError.self) { try Self.audit(sample, since: other.path) }
        #expect(error?.code == .otherStore)
        #expect(throws: StoreError.self) { try Self.audit(sample, since: sample.folder.file("none")) }
        let earlier = sample.folder.file("earlier.sqlite")
        try StoreBackup.copy(sample.path, to: earlier)
        #expect(try Self.audit(sample, since: earlier).violations == [])
        try sample.foreign("UPDATE COEXIST_STATE SET TIMELINE = TIMELINE + 1")
        let otherLife = #expect(throws: StoreError.self) { try Self.audit(sample, since: earlier) }
        #expect(otherLife?.code == .refused)
        let fresh = try BridgeSample()
        let notAdopted = #expect(throws: StoreError.self) { try Self.audit(fresh) }
        #expect(notAdopted?.code == .notAdopted)
    }

    @Test func aRunningStoreIsAuditedBesideItsDaemon() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        let report = try Self.audit(sample)
        #expect(report.violations == [] && report.transactions == 1)
        try bridge.legacy.insert("Tag", ["name": .string("b")])
    }
}

/// SQL past the guard: on a connection that runs no triggers, as ours are.
enum GuardTriggersOff {
    static func run(_ sample: BridgeSample, _ sql: String) throws {
        let connection = try Connection(path: sample.path, mode: .readWrite)
        try connection.setMainTriggersEnabled(false)
        try connection.execute(sql)
    }
}
