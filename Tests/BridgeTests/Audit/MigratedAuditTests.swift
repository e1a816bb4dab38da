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
}
