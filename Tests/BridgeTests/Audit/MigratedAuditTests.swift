import Bridge
import Foundation
import LegacyStack
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// The audit of a store that was migrated after its adoption.
@Suite struct MigratedAuditTests {
    /// Two tags, a handover of them to the model stack, a book, and an update of a tag; then the migration, which may
    /// remove the tags.
    private static func migrated(removesTags: Bool) throws -> (sample: BridgeSample, before: String) {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        let tag = try bridge.legacy.insert("Tag", ["name": .string("a")])
        try bridge.legacy.insert("Tag", ["name": .string("b")])
        _ = try bridge.handover("Tag", to: .model)
        try bridge.legacy.insert("Book", ["title": .string("Dune"), "pages": .integer(412)])
        try bridge.model.update(tag, ["name": .string("c")])
        try bridge.legacy.insert("Book", ["title": .string("Kim"), "pages": .integer(1)])
        bridge.close()
        var entities = SampleModels.library.entities
        let book = try #require(entities.firstIndex { $0.name == "Book" })
        entities[book].attributes.append(AttributeDescription(name: "blurb", type: .string, isOptional: true))
        if removesTags {
            entities[book].relationships.removeAll { $0.name == "tags" }
            entities.removeAll { $0.name == "Tag" }
        }
        let migrator = StoreMigrator(sample.path, to: ModelDescription(entities: entities))
        let report = try StoreMigration.migrate(migrator, path: sample.path, allowsDataLoss: true)
        return (sample, try #require(report.backup))
    }

    private static func audit(_ path: String, since: String? = nil) throws -> AuditReport {
        try Audit.run(Store.open(path), since: since)
    }

    @Test func aMigrationIsAnEventThatNamesItsProgramAndIsNoForeignTransaction() throws {
        let (sample, before) = try Self.migrated(removesTags: false)
        let report = try Self.audit(sample.path)
        #expect(report.violations == [])
        #expect(report.foreign == [] && report.foreignCount == 0)
        let migration = try #require(report.migrations.first)
        #expect(report.migrations.count == 1 && migration.number == 6)
        #expect(migration.program == ProcessInfo.processInfo.processName)
        #expect(migration.digestBefore == (try Store.open(before).metadata.digest))
        #expect(report.transactions == 6 && report.changes == 5, "writers are audited across it")
        #expect(report.backup == nil && report.rows == 0)
        #expect(report.notes.contains { $0.contains("migrated in transaction 6") && $0.contains("before-migration") })
        // As the note says: the copy from before it proves what came before, rows included.
        let old = try Self.audit(before)
        #expect(old.violations == [] && old.migrations == [] && old.rows == 4 && old.last == 5)
        // And a backup from after it serves for what comes after.
        let backup = sample.folder.file("after.sqlite")
        try StoreBackup.copy(sample.path, to: backup)
        let bridge = try sample.open()
        try bridge.legacy.insert("Shelf", ["label": .string("new")])
        bridge.close()
        let since = try Self.audit(sample.path, since: backup)
        #expect(since.violations == [] && since.backup == backup && since.rows == 5)
    }

    @Test func whatAMigrationDroppedWithAnEntityIsNoGap() throws {
        let (sample, before) = try Self.migrated(removesTags: true)
        let report = try Self.audit(sample.path)
        #expect(report.violations == [])
        #expect(report.migrations.map(\.number) == [6])
        #expect(report.notes.contains { $0.contains("missing in") && $0.contains("before transaction 6") })
        #expect(try Self.audit(before).violations == [])
        // What is missing after it is one.
        let bridge = try sample.open { $0.guardMode = .off }
        for label in ["a", "b"] { try bridge.legacy.insert("Shelf", ["label": .string(label)]) }
        #expect(try bridge.handover("Shelf", to: .model)?.epoch == 2, "nor does it hold a handover up")
        bridge.close()
        let connection = try Connection(path: sample.path, mode: .readWrite)
        try connection.setMainTriggersEnabled(false)
        try connection.execute("DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 7")
        #expect(try Self.audit(sample.path).violations.map(\.place) == ["transaction 7"])
    }

    @Test func aStrangerThatCallsItselfAMigrationAndChangesObjectsIsAStranger() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .off }
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        bridge.close()
        try sample.foreign(
            """
            INSERT INTO ATRANSACTIONSTRING VALUES (90, 16003, NULL, 'com.apple.coredata.schemamigrator: lightweight');
            INSERT INTO ATRANSACTIONSTRING VALUES (91, 16003, NULL, 'Editor');
            INSERT INTO ATRANSACTIONSTRING VALUES (92, 16003, NULL, 'org.example.editor');
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZPROCESSIDTS, ZBUNDLEIDTS, ZTIMESTAMP)
                VALUES (2, 16002, 90, 91, 92, 1.5);
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
                VALUES (2, 16001, 0, 6, 1, 2);
            INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT) VALUES (1, 6, 1);
            UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT IN (16001, 16002);
            UPDATE Z_PRIMARYKEY SET Z_MAX = 92 WHERE Z_ENT = 16003;
            """)
        let report = try Self.audit(sample.path)
        #expect(report.migrations == [])
        #expect(
            report.foreign == [
                .init(number: 2, timestamp: 1.5, program: "Editor (org.example.editor)", entities: ["Shelf"])
            ])
    }

    /// Tags and shelves were handed over at different times, and are one unit since the migration, for one of each is the
    /// other's.
    private static func merged(handsOver: Bool) throws -> BridgeSample {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        let tag = try bridge.legacy.insert("Tag", ["name": .string("a")])
        let shelf = try bridge.legacy.insert("Shelf", ["label": .string("A")])
        if handsOver { _ = try bridge.handover("Tag", to: .model) }
        try bridge.instance(handsOver ? .model : .legacy).update(tag, ["name": .string("b")])
        try bridge.legacy.update(shelf, ["label": .string("B")])
        if handsOver { _ = try bridge.handover("Shelf", to: .model) }
        try bridge.instance(handsOver ? .model : .legacy).update(shelf, ["label": .string("C")])
        bridge.close()
        var entities = SampleModels.library.entities
        for (name, other) in [("Tag", "Shelf"), ("Shelf", "Tag")] {
            let place = try #require(entities.firstIndex { $0.name == name })
            entities[place].relationships.append(
                RelationshipDescription(name: "home", destination: other, inverse: "home"))
        }
        _ = try StoreMigration.migrate(
            StoreMigrator(sample.path, to: ModelDescription(entities: entities)), path: sample.path)
        return sample
    }

    @Test func unitsThatAMigrationMadeOneAreAuditedAsOneFromThereOn() throws {
        let sample = try Self.merged(handsOver: true)
        let report = try Self.audit(sample.path)
        #expect(report.violations == [])
        #expect(
            report.notes.contains(
                "Shelf is audited from transaction 6 on, a migration: the units Shelf and Tag became one"),
            "\(report.notes)")
        // What comes after is audited as ever: a save, a handover, and a change by the wrong stack.
        let bridge = try sample.open { $0.guardMode = .off }
        #expect(try bridge.unit(of: "Tag").owner == .model && bridge.unit(of: "Tag").epoch == 2)
        let tag = try bridge.model.insert("Tag", ["name": .string("new")])
        #expect(try bridge.handover("Shelf", to: .legacy)?.epoch == 3)
        try bridge.legacy.update(tag, ["name": .string("newer")])
        #expect(try bridge.handovers(of: "Tag").map(\.epoch) == [2, 3])
        bridge.close()
        #expect(try Self.audit(sample.path).violations == [])
        #expect(try sample.violations() == [])
        try GuardTriggersOff.run(sample, "UPDATE COEXIST_TRANSACTION SET STACK = 'legacy' WHERE NUMBER = 7")
        #expect(try Self.audit(sample.path).violations.map(\.rule) == [.writer])
        // A beginning that no migration made is none.
        try GuardTriggersOff.run(sample, "UPDATE COEXIST_TRANSACTION SET STACK = 'model' WHERE NUMBER = 7")
        try GuardTriggersOff.run(sample, "UPDATE COEXIST_HANDOVER SET NUMBER = 5 WHERE PREVIOUS IS NULL")
        #expect(try Self.audit(sample.path).violations.map(\.rule).contains(.record))
    }

    @Test func unitsThatNeverChangedHandsAreAuditedAcrossTheirMerging() throws {
        let sample = try Self.merged(handsOver: false)
        let report = try Self.audit(sample.path)
        #expect(report.violations == [])
        #expect(!report.notes.contains { $0.contains("became one") })
        try GuardTriggersOff.run(sample, "UPDATE COEXIST_TRANSACTION SET STACK = 'model' WHERE NUMBER = 3")
        #expect(try Self.audit(sample.path).violations.map(\.rule) == [.writer])
    }
}
