import Foundation
import SQLite
import StoreFormat
import StoreModel
import Testing

@Suite
struct StoreWriterTests {
    @Test("a first save that fails leaves a store without history, and the next one makes it")
    func firstSaveFails() throws {
        let sample = try SampleStore(isTracked: false)
        #expect(throws: CancellationError.self) { try sample.save { _ in throw CancellationError() } }
        #expect(try sample.save { _ in } == nil)
        #expect(!sample.store.historyForm.isTracked)
        #expect(try sample.scalar("SELECT 1 FROM sqlite_master WHERE name = 'ACHANGE'") == nil)
        try sample.insert("Shelf")
        #expect(try sample.count("ACHANGE") == 1)
        try sample.expectSound()
    }

    @Test("triggers that came before a failed save are mirrored by the next one")
    func mirrorAfterFailure() throws {
        let sample = try SampleStore()
        try sample.insert("Shelf")
        let other = try Connection(path: sample.path, mode: .readWrite)
        try other.execute(
            "CREATE TRIGGER extra AFTER INSERT ON ZSHELF BEGIN UPDATE ZSHELF SET ZLABEL = 'seen' WHERE Z_PK = NEW.Z_PK; END"
        )
        #expect(throws: CancellationError.self) { try sample.save { _ in throw CancellationError() } }
        let key = try sample.insert("Shelf")
        #expect(try sample.value("Shelf", key, "label") == .string("seen"))
    }

    @Test("a store that was migrated since it was opened is not written by the old model")
    func migrated() throws {
        let sample = try SampleStore()
        let other = try Connection(path: sample.path, mode: .readWrite)
        let migrated = try SampleStore(ModelDescription(entities: [EntityDescription(name: "Shelf")]))
        let plist = try #require(try migrated.scalar("SELECT Z_PLIST FROM Z_METADATA"))
        try other.run("UPDATE Z_METADATA SET Z_PLIST = ?", [plist])
        try other.execute("ALTER TABLE ZSHELF ADD COLUMN ZROOM VARCHAR")
        expectStoreError(.schemaMismatch) { _ = try sample.insert("Shelf") }
        #expect(try sample.count("ZSHELF") == 0)
    }

    @Test("the log is checkpointed above its limit, and a reader that holds it back does not fail the save")
    func checkpoint() throws {
        let sample = try SampleStore()
        sample.writer.maximumLogBytes = 0
        let reader = try StoreConnector.connect(sample.path, .reader)
        try reader.execute("BEGIN")
        _ = try reader.query("SELECT count(*) FROM ZSHELF")
        try sample.insert("Shelf")
        try reader.execute("COMMIT")
        try sample.insert("Shelf")
        #expect(try reader.scalar("SELECT count(*) FROM ZSHELF") == 2)
    }

    @Test("a replaced file stays where the update was refused, though the save commits other changes")
    func conflictInCommittedSave() throws {
        let sample = try SampleStore()
        let large = ExternalDataTests.large
        let key = try sample.insert("Book", ["pages": .integer(1), "cover": .data(large)])
        let entity = try sample.entity("Book")
        let leaf = try #require(entity.attribute("cover")?.leaf)
        try sample.save { save in
            let value = try save.encode(.data(large + [1]), as: leaf)
            let column = try #require(leaf.column)
            #expect(try !save.update(entity, key: key, expecting: 9, columns: [(column, value)], changed: ["cover"]))
            try SampleStore.insert("Shelf", in: save)
        }
        #expect(try sample.value("Book", key, "cover") == .data(large))
        let files = try FileManager.default.contentsOfDirectory(atPath: sample.store.externalData.folder)
        #expect(files.count == 1)
    }

    @Test("a file that an update names again stays")
    func sameReference() throws {
        let sample = try SampleStore()
        let large = ExternalDataTests.large
        let key = try sample.insert("Book", ["pages": .integer(1), "cover": .data(large)])
        let entity = try sample.entity("Book")
        let column = try #require(entity.attribute("cover")?.leaf?.column)
        let value = try #require(try sample.scalar("SELECT ZCOVER FROM ZBOOK"))
        try sample.save {
            _ = try $0.update(entity, key: key, expecting: nil, columns: [(column, value)], changed: ["cover"])
        }
        #expect(try sample.value("Book", key, "cover") == .data(large))
    }

    @Test("a value that is written and replaced in one save leaves one file")
    func twiceInOneSave() throws {
        let sample = try SampleStore()
        let large = ExternalDataTests.large
        let entity = try sample.entity("Book")
        let leaf = try #require(entity.attribute("cover")?.leaf)
        try sample.save { save in
            let key = try SampleStore.insert("Book", ["pages": .integer(1), "cover": .data(large)], in: save)
            let value = try save.encode(.data(large + [1]), as: leaf)
            let column = try #require(leaf.column)
            _ = try save.update(entity, key: key, expecting: nil, columns: [(column, value)], changed: ["cover"])
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: sample.store.externalData.folder)
        #expect(files.count == 1)
        #expect(try sample.value("Book", 1, "cover") == .data(large + [1]))
    }

    @Test("a counter that is behind its table is found, and no key is handed out twice")
    func counterBehind() throws {
        let sample = try SampleStore()
        for _ in 1...3 { try sample.insert("Shelf") }
        try sample.connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Shelf'")
        #expect(try sample.violations().map(\.rule) == ["key-counter"])
        #expect(try sample.insert("Shelf") == 4)
        #expect(try sample.scalar("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Shelf'") == 4)
        try sample.expectSound()
    }

    @Test("deleting a hundred thousand rows in one save leaves a log of ordinary size behind")
    func largeDeletion() throws {
        let sample = try SampleStore()
        try sample.connection.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
            INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZLABEL) SELECT i, 6, 1, 'shelf ' || i FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 100000 WHERE Z_NAME = 'Shelf'
            """)
        _ = try sample.connection.checkpoint(.truncate)
        sample.writer.maximumLogBytes = 1 << 20
        let shelf = try sample.entity("Shelf")
        try sample.save { save in
            for key in 1...Int64(100_000) { _ = try save.delete(shelf, key: key, expecting: 1) }
        }
        #expect(try sample.count("ZSHELF") == 0)
        #expect(try sample.count("ACHANGE") == 100_000)
        // The save after it starts the log anew.
        try sample.insert("Shelf")
        let size = try FileManager.default.attributesOfItem(atPath: sample.path + "-wal")[.size] as? Int
        #expect(size ?? 0 <= 8 << 20)
    }
}
