import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// A damage, and everything that `verify` must find in the store that has it.
struct Damage: Sendable, CustomTestStringConvertible {
    var sql: String
    /// Rule and place of each finding, with a part of its message.
    var findings: [[String]]

    init(_ sql: String, _ findings: [String]...) {
        self.sql = sql
        self.findings = findings
    }

    var testDescription: String { sql }
}

@Suite
struct DamageTests {
    static let catalogue: [Damage] = [
        Damage("UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Work'", ["key-counter", "ZWORK", "highest Z_PK 3"]),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = -1 WHERE Z_NAME = 'Lamp'", ["key-counter", "Lamp", "-1"],
            ["key-counter", "ZLAMP", "Z_MAX -1"]),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = NULL WHERE Z_NAME = 'Lamp'", ["catalogue-value", "Lamp", "no integer"],
            ["key-counter", "ZLAMP", "highest Z_PK 2"]),
        Damage("UPDATE Z_PRIMARYKEY SET Z_MAX = 5 WHERE Z_NAME = 'Artist'", ["key-counter-sub", "Artist", "not 0"]),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_SUPER = 6 WHERE Z_NAME = 'Guide'", ["catalogue-super", "Guide", "expected 3"]),
        Damage("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Torch' WHERE Z_NAME = 'Lamp'", ["catalogue-name", "Lamp", "Torch"]),
        Damage("INSERT INTO Z_PRIMARYKEY VALUES (9, 'Ghost', 0, 0)", ["catalogue-extra", "Ghost", "number 9"]),
    ]

    static let rows: [Damage] = [
        Damage(
            "UPDATE ZLAMP SET Z_ENT = 6 WHERE Z_PK = 2", ["row-entity", "ZLAMP 2", "Z_ENT 6"],
            ["history-kind", "Lamp 2", "row says 6"]),
        Damage(
            "UPDATE ZLAMP SET Z_ENT = 99 WHERE Z_PK = 2", ["row-entity", "ZLAMP 2", "Z_ENT 99"],
            ["history-kind", "Lamp 2", "row says 99"]),
        Damage(
            "UPDATE ZLAMP SET Z_ENT = NULL WHERE Z_PK = 2", ["row-entity", "ZLAMP 2", "NULL"],
            ["history-vanished", "Lamp 2", "transaction 1"]),
        Damage(
            "UPDATE ZPERSON SET Z_ENT = 3 WHERE Z_PK = 1", ["row-abstract", "ZPERSON 1", "Person"],
            ["polymorphic-key", "ZWORK 1.maker", "the row is 3"], ["polymorphic-key", "ZWORK 2.maker", "the row is 3"],
            ["history-kind", "Artist 1", "row says 3"]),
        Damage("UPDATE ZLAMP SET Z_OPT = NULL WHERE Z_PK = 2", ["row-version", "ZLAMP 2", "Z_OPT"]),
        Damage("UPDATE ZLAMP SET Z_OPT = 0 WHERE Z_PK = 2", ["row-version", "ZLAMP 2", "Z_OPT"]),
        Damage("UPDATE ZLAMP SET Z_OPT = 'one' WHERE Z_PK = 2", ["row-version", "ZLAMP 2", "Z_OPT"]),
        Damage(
            "UPDATE ZLAMP SET Z_PK = -2 WHERE Z_PK = 2", ["row-key", "ZLAMP -2", "Z_PK"],
            ["history-vanished", "Lamp 2", "transaction 1"]),
        Damage("DELETE FROM ZLAMP WHERE Z_PK = 2", ["history-vanished", "Lamp 2", "gone without a delete"]),
        Damage("INSERT INTO ZTAG VALUES (3, 7, 1, 'new')", ["history-deleted", "Tag 3", "transaction 4"]),
    ]

    static let values: [Damage] = [
        Damage(
            "UPDATE ZWORK SET ZTITLE = x'00' WHERE Z_PK = 2", ["value-class", "ZWORK 2.title", "blob, expected text"]),
        Damage(
            "UPDATE ZWORK SET ZYEAR = 'old' WHERE Z_PK = 2", ["value-class", "ZWORK 2.year", "expected integer"],
            ["value-range", "ZWORK 2.year", "old"]),
        Damage("UPDATE ZWORK SET ZYEAR = 1.5 WHERE Z_PK = 2", ["value-class", "ZWORK 2.year", "real"]),
        Damage("UPDATE ZWORK SET ZYEAR = 40000 WHERE Z_PK = 2", ["value-range", "ZWORK 2.year", "40000"]),
        Damage("UPDATE ZWORK SET ZWEIGHT = 1 << 31 WHERE Z_PK = 2", ["value-range", "ZWORK 2.weight", "2147483648"]),
        Damage("UPDATE ZWORK SET ZISLOANED = 2 WHERE Z_PK = 2", ["value-range", "ZWORK 2.isLoaned", "boolean 2"]),
        Damage("UPDATE ZWORK SET ZNUMBER = x'0011' WHERE Z_PK = 2", ["value-uuid", "ZWORK 2.number", "2 bytes"]),
        Damage("UPDATE ZWORK SET ZACQUIRED = 'soon' WHERE Z_PK = 2", ["value-class", "ZWORK 2.acquired", "a number"]),
        Damage("UPDATE ZWORK SET ZVALUE = 'dear' WHERE Z_PK = 2", ["value-class", "ZWORK 2.value", "a number"]),
        Damage("UPDATE ZWORK SET ZNOTES = 'text' WHERE Z_PK = 2", ["value-class", "ZWORK 2.notes", "expected blob"]),
        Damage("UPDATE ZWORK SET ZLINK = x'01' WHERE Z_PK = 2", ["value-class", "ZWORK 2.link", "expected text"]),
        Damage("UPDATE ZWORK SET ZHEIGHT = 70000 WHERE Z_PK = 2", ["value-range", "ZWORK 2.size.height", "70000"]),
        Damage("UPDATE ZROOM SET ZNAME = NULL", ["value-mandatory", "ZROOM 1.name", "null"]),
        Damage("UPDATE ZWORK SET ZIMAGE = x'0300' WHERE Z_PK = 2", ["value-external", "ZWORK 2.image", "neither"]),
        Damage("UPDATE ZWORK SET ZIMAGE = x'02414200' WHERE Z_PK = 2", ["external-file", "ZWORK 2.image", "no UUID"]),
        Damage("UPDATE ZROOM SET ZWORKSCOUNT = 9", ["derived-value", "ZROOM 1.worksCount", "expected 2"]),
        Damage(
            "UPDATE ZWORK SET ZMAKERNAME = 'Bob' WHERE Z_PK = 2",
            ["derived-value", "ZWORK 2.makerName", "expected Ada"]),
    ]

    static let relationships: [Damage] = [
        Damage(
            "UPDATE ZWORK SET ZMAKER = 77 WHERE Z_PK = 2", ["dangling", "ZWORK 2.maker", "Person 77"],
            ["derived-value", "ZWORK 2.makerName", "expected NULL"]),
        Damage("UPDATE ZROOM SET ZGUIDE = 1", ["wrong-entity", "ZROOM 1.guide", "of the entity 4"]),
        Damage("UPDATE ZWORK SET Z3_MAKER = 5 WHERE Z_PK = 2", ["polymorphic-key", "ZWORK 2.maker", "the row is 4"]),
        Damage("UPDATE ZWORK SET Z3_MAKER = NULL WHERE Z_PK = 2", ["polymorphic-key", "ZWORK 2.maker", "NULL"]),
        Damage("UPDATE ZWORK SET Z3_MAKER = 4 WHERE Z_PK = 3", ["polymorphic-key", "ZWORK 3.maker", "without a key"]),
        Damage(
            "UPDATE ZFRAME SET ZWORK = 2", ["inverse", "ZFRAME 1.work", "Work 2 does not point back"],
            ["inverse", "ZWORK 1.frame", "Frame 1 does not point back"]),
        Damage("UPDATE ZWORK SET ZFRAME = 1 WHERE Z_PK = 2", ["inverse", "ZWORK 2.frame", "Frame 1"]),
        Damage(
            "UPDATE ZFRAME SET ZWORK = NULL", ["relationship-mandatory", "ZFRAME 1.work", "null"],
            ["inverse", "ZWORK 1.frame", "Frame 1"]),
        Damage("UPDATE ZLAMP SET Z6LAMPS = 9 WHERE Z_PK = 1", ["dangling", "ZLAMP 1.Z6LAMPS", "Room 9"]),
        Damage("INSERT INTO Z_7WORKS VALUES (9, 2, 2048)", ["join-dangling", "Z_7WORKS 9,2", "Z_7TAGS 9 is no Tag"]),
        Damage("INSERT INTO Z_7WORKS VALUES (1, 9, 2048)", ["join-dangling", "Z_7WORKS 1,9", "Z_8WORKS 9 is no Work"]),
        Damage("INSERT INTO Z_7WORKS VALUES (NULL, 2, 2048)", ["join-dangling", "Z_7WORKS NULL,2", "no Tag"]),
        Damage(
            """
            CREATE TABLE X AS SELECT * FROM Z_7WORKS; DROP TABLE Z_7WORKS; ALTER TABLE X RENAME TO Z_7WORKS;
            CREATE INDEX Z_7WORKS_Z_8WORKS_INDEX ON Z_7WORKS (Z_8WORKS, Z_7TAGS);
            INSERT INTO Z_7WORKS SELECT Z_7TAGS, Z_8WORKS, 9999 FROM Z_7WORKS WHERE Z_7TAGS = 1
            """, ["join-key", "Z_7WORKS", "primary key"], ["join-duplicate", "Z_7WORKS 1,1", "2 times"]),
        Damage("DELETE FROM Z_8RELATED WHERE REFLEXIVE = 1", ["join-mirror", "Z_8RELATED 2,1", "mirror"]),
        Damage(
            "UPDATE Z_7WORKS SET Z_FOK_7TAGS = NULL WHERE Z_7TAGS = 2",
            ["order-missing", "Z_7WORKS 1,2", "Z_FOK_7TAGS"]),
        Damage("UPDATE Z_7WORKS SET Z_FOK_7TAGS = 2048", ["order-duplicate", "Z_7WORKS Z_8WORKS 1", "2 rows"]),
        Damage("UPDATE ZWORK SET Z_FOK_ROOM = NULL WHERE Z_PK = 2", ["order-missing", "ZWORK 2.room", "Z_FOK_ROOM"]),
        Damage("UPDATE ZWORK SET Z_FOK_ROOM = 2048 WHERE Z_PK = 2", ["order-duplicate", "ZWORK ZROOM 1", "2048"]),
        Damage(
            "UPDATE ZWORK SET Z_FOK_ROOM = 5 WHERE Z_PK = 3", ["order-without-key", "ZWORK 3.room", "Z_FOK_ROOM is 5"]),
        Damage(
            "DROP INDEX Z_Tag_UNIQUE_name; UPDATE ZTAG SET ZNAME = 'oil'", ["unique", "ZTAG 1.name", "2 rows"],
            ["index-missing", "ZTAG", "Z_Tag_UNIQUE_name"]),
    ]

    static let schema: [Damage] = [
        Damage(
            "DROP TABLE ZLAMP", ["table-missing", "Lamp", "ZLAMP"], ["history-vanished", "Lamp 1", "gone"],
            ["history-vanished", "Lamp 2", "gone"], ["coexist-entity", "Lamp", "not in the model"]),
        Damage("ALTER TABLE ZWORK DROP COLUMN ZLINK", ["column-missing", "ZWORK Work.link", "no column"]),
        Damage(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET sql = replace(sql, 'ZTITLE VARCHAR', 'ZTITLE BLOB') WHERE name = 'ZWORK'
            """, ["column-type", "ZWORK Work.title", "declared BLOB, expected VARCHAR"]),
        Damage(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET sql = replace(sql, 'Z_PK INTEGER PRIMARY KEY', 'Z_PK INTEGER') WHERE name = 'ZFRAME';
            UPDATE sqlite_master SET sql = replace(sql, 'Z_ENT INTEGER', 'Z_ENT INTEGER PRIMARY KEY') WHERE name = 'ZFRAME'
            """, ["table-key", "ZFRAME", "Z_PK"], ["inverse", "ZFRAME 0.work", "Work 1"],
            ["dangling", "ZWORK 1.frame", "Frame 1"], ["history-vanished", "Frame 1", "gone"]),
        Damage("DROP INDEX ZWORK_ZMAKER_INDEX", ["index-missing", "ZWORK", "ZWORK_ZMAKER_INDEX"]),
        Damage("DROP INDEX Z_Tag_UNIQUE_name", ["index-missing", "ZTAG", "Z_Tag_UNIQUE_name"]),
        Damage(
            "DROP INDEX Z_Tag_UNIQUE_name; CREATE INDEX Z_Tag_UNIQUE_name ON ZTAG (ZNAME)",
            ["index-form", "ZTAG", "expected unique on ZTAG (ZNAME)"]),
        Damage(
            "DROP INDEX ZWORK_ZROOM_INDEX; CREATE INDEX ZWORK_ZROOM_INDEX ON ZWORK (ZFRAME)",
            ["index-form", "ZWORK", "ZWORK_ZROOM_INDEX is on ZWORK (ZFRAME)"]),
        Damage("DROP INDEX Z_Work_byTitle", ["index-missing", "ZWORK", "Z_Work_byTitle"]),
        Damage("DROP INDEX ZPERSON_Z_ENT_INDEX", ["index-missing", "ZPERSON", "ZPERSON_Z_ENT_INDEX"]),
        Damage("DROP INDEX Z_7WORKS_Z_8WORKS_INDEX", ["index-missing", "Z_7WORKS", "Z_7WORKS_Z_8WORKS_INDEX"]),
        Damage(
            "DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX", ["index-missing", "ACHANGE", "ACHANGE_ZTRANSACTIONID_INDEX"]),
        Damage("UPDATE ZWORK SET ZLATITUDE = 80 WHERE Z_PK = 2", ["index-stale", "ZWORK 2", "another place"]),
        Damage("DELETE FROM Z_RT_Work_byPlace WHERE Z_PK = 2", ["index-stale", "ZWORK 2", "lacks the row"]),
        Damage("INSERT INTO Z_RT_Work_byPlace VALUES (9, 1, 1, 1, 1)", ["index-stale", "ZWORK 9", "gone"]),
        Damage("DROP TABLE Z_RT_Work_byPlace", ["index-missing", "ZWORK", "Z_RT_Work_byPlace"]),
        Damage(
            "DROP TRIGGER Z_RT_Work_byPlace_UPDATE", ["trigger-missing", "ZWORK", "Z_RT_Work_byPlace_UPDATE"]),
        Damage(
            "DROP TRIGGER Z_DA_ZWORK_Room_worksCount_PARAMETER_INSERT",
            ["trigger-missing", "ZWORK", "Z_DA_ZWORK_Room_worksCount_PARAMETER_INSERT"]),
        Damage(
            """
            DROP TRIGGER Z_DA_ZROOM_Room_worksCount_SOURCE_INSERT;
            CREATE TRIGGER Z_DA_ZROOM_Room_worksCount_SOURCE_INSERT AFTER INSERT ON ZROOM BEGIN SELECT 1; END
            """, ["trigger-altered", "ZROOM", "Z_DA_ZROOM_Room_worksCount_SOURCE_INSERT"]),
        Damage("PRAGMA user_version = 3", ["file-header", "user_version", "expected 0"]),
        Damage("PRAGMA application_id = 3", ["file-header", "application_id", "expected 0"]),
        Damage(
            "PRAGMA auto_vacuum = FULL", ["file-header", "auto_vacuum", "expected 2"],
            ["metadata-vacuum", "Z_METADATA", "level 1"]),
        Damage("UPDATE Z_METADATA SET Z_UUID = lower(Z_UUID)", ["metadata-uuid", "Z_METADATA", "capitals"]),
        Damage(
            "INSERT INTO Z_METADATA SELECT 2, Z_UUID, Z_PLIST FROM Z_METADATA",
            ["metadata-rows", "Z_METADATA", "2 rows"]),
        Damage("UPDATE Z_METADATA SET Z_VERSION = 2", ["metadata-version", "Z_METADATA", "Z_VERSION"]),
        Damage("INSERT INTO Z_MODELCACHE SELECT * FROM Z_MODELCACHE", ["model-cache", "Z_MODELCACHE", "2 rows"]),
    ]

    static let history: [Damage] = [
        Damage("UPDATE ACHANGE SET ZTRANSACTIONID = 99 WHERE Z_PK = 12", ["history-orphan", "ACHANGE 12", "99"]),
        Damage(
            "DELETE FROM ATRANSACTION WHERE Z_PK = 2", ["history-orphan", "ACHANGE 12", "transaction 2"],
            ["coexist-transaction", "COEXIST_TRANSACTION 2", "was not purged"]),
        Damage("UPDATE ACHANGE SET ZENTITY = 44 WHERE Z_PK = 10", ["history-entity", "ACHANGE 10", "ZENTITY 44"]),
        Damage("UPDATE ACHANGE SET ZENTITYPK = NULL WHERE Z_PK = 10", ["history-object", "ACHANGE 10", "NULL"]),
        Damage("UPDATE ACHANGE SET ZCHANGETYPE = 7 WHERE Z_PK = 10", ["history-type", "ACHANGE 10", "ZCHANGETYPE 7"]),
        Damage("UPDATE ACHANGE SET ZCOLUMNS = NULL WHERE Z_PK = 12", ["history-columns", "ACHANGE 12", "ZCOLUMNS"]),
        Damage(
            "UPDATE ACHANGE SET ZCOLUMNS = x'00' WHERE Z_PK = 10", ["history-columns", "ACHANGE 10", "only for them"]),
        Damage(
            "UPDATE ACHANGE SET ZCOLUMNS = x'00' WHERE Z_PK = 12", ["history-bitmap", "ACHANGE 12", "1 bytes for Work"]),
        // Work has 22 slots: frame, maker, room; Z3_MAKER and Z_FOK_ROOM; 13 attributes and 2 of the composite; related, tags.
        Damage(
            "UPDATE ACHANGE SET ZCOLUMNS = x'000002' WHERE Z_PK = 12", ["history-bitmap", "ACHANGE 12", "the 22 slots"]),
        Damage(
            "UPDATE ACHANGE SET ZTOMBSTONE0 = 'x' WHERE Z_PK = 12", ["history-tombstone", "ACHANGE 12", "no deletion"]),
        Damage(
            "UPDATE ATRANSACTION SET ZAUTHORTS = 99 WHERE Z_PK = 1", ["history-string", "ATRANSACTION 1", "ZAUTHORTS"]),
        Damage(
            """
            DROP INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME; UPDATE Z_PRIMARYKEY SET Z_MAX = 50 WHERE Z_ENT = 16003;
            INSERT INTO ATRANSACTIONSTRING VALUES (50, 16003, NULL, 'author')
            """, ["index-missing", "ATRANSACTIONSTRING", "UNIQUE_NAME"],
            ["history-string", "ATRANSACTIONSTRING 50", "author"]),
        Damage(
            "UPDATE ATRANSACTIONSTRING SET ZNAME = x'00' WHERE Z_PK = 1",
            ["history-string", "ATRANSACTIONSTRING 1", "blob"]),
        Damage(
            "UPDATE ATRANSACTION SET ZTIMESTAMP = 'now' WHERE Z_PK = 2",
            ["history-timestamp", "ATRANSACTION 2", "text"]),
        Damage("UPDATE ACHANGE SET Z_ENT = 16002 WHERE Z_PK = 3", ["history-row", "ACHANGE 3", "expected 16001"]),
        Damage("UPDATE ATRANSACTION SET Z_ENT = NULL WHERE Z_PK = 3", ["history-row", "ATRANSACTION 3", "NULL"]),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 16001", ["history-counter", "ACHANGE", "highest row 14"]),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 16002",
            ["history-counter", "ATRANSACTION", "highest row 4"]),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 16003",
            ["history-counter", "ATRANSACTIONSTRING", "highest row"]),
        Damage(
            "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16001", ["history-counter", "ACHANGE", "says nothing"]),
        Damage(
            """
            DELETE FROM ACHANGE; DELETE FROM ATRANSACTION; DELETE FROM COEXIST_TRANSACTION;
            UPDATE COEXIST_STATE SET PURGE_FLOOR = 4; UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT = 16002
            """, ["history-counter", "ATRANSACTION", "number 4 was handed out"]),
        Damage(
            """
            INSERT INTO ACHANGE SELECT 15, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS, NULL
            FROM ACHANGE WHERE Z_PK = 12; UPDATE Z_PRIMARYKEY SET Z_MAX = 15 WHERE Z_ENT = 16001
            """, ["history-duplicate", "ACHANGE 15", "transaction 2"]),
    ]

    static let all = catalogue + rows + values + relationships + schema + history

    @Test("the store that the damages are planted in is sound")
    func sound() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        #expect(try Self.findings(path) == [])
        try Oracle.expectSound(path)
    }

    @Test("a planted damage is found where it is, and nothing else", arguments: all)
    func planted(_ damage: Damage) throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Museum.plant(damage.sql, in: path)
        let found = try Self.findings(path)
        #expect(Set(found.map { [$0.rule, $0.place] }) == Set(damage.findings.map { Array($0.prefix(2)) }))
        #expect(found.count == damage.findings.count, "\(found)")
        for finding in damage.findings {
            let violation = found.first { $0.rule == finding[0] && $0.place == finding[1] }
            #expect(violation?.what.contains(finding[2]) ?? false, "\(violation?.what ?? "")")
            #expect(violation?.severity == .error)
        }
    }

    @Test("damaged metadata is found", arguments: MetadataDamage.all)
    func metadata(_ damage: MetadataDamage) throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try damage.plant(path)
        #expect(Set(try Self.findings(path).map { [$0.rule, $0.place] }) == Set(damage.findings))
    }

    @Test("an external file that is missing or that no row names is found")
    func externalFiles() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        let data = folder.file(".library_SUPPORT/_EXTERNAL_DATA")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: data).first)
        let other = "0B8C6F2E-1111-4222-8333-444455556666"
        try FileManager.default.moveItem(atPath: "\(data)/\(name)", toPath: "\(data)/\(other)")
        let found = try Self.findings(path)
        #expect(found.map(\.rule) == ["external-file", "external-orphan"])
        #expect(found.map(\.place) == ["ZWORK 3.image", other])
        #expect(found.first?.what.contains(name) ?? false)
        // Where others may have the store open, a young file may be of a save that is running.
        let reader = try StoreConnector.connect(path, .reader)
        let store = try Store.open(path)
        #expect(try StoreVerifier.verify(reader, store: store).map(\.rule) == ["external-file"])
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: "\(data)/\(other)")
        #expect(try StoreVerifier.verify(reader, store: store).map(\.rule) == ["external-file", "external-orphan"])
        // A copy that is named by one more extension has its files in the same place.
        try FileManager.default.copyItem(atPath: path, toPath: folder.file("library.old"))
        #expect(try StoreVerifier.verify(reader, store: store).map(\.rule) == ["external-file"])
    }

    @Test("an index that lacks a row of its table is found")
    func staleIndex() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        let name = "ZLAMP_Z6LAMPS_INDEX"
        func connect() throws -> Connection {
            let connection = try Connection(path: path, mode: .readWrite)
            try connection.execute("PRAGMA writable_schema = ON")
            return connection
        }
        // While the schema does not tell of the index, the table is written without it.
        let row = try #require(
            try connect().query(
                "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master WHERE name = ?", [.text(name)]
            ).first)
        try connect().run("DELETE FROM sqlite_master WHERE name = ?", [.text(name)])
        try connect().execute("UPDATE ZLAMP SET Z6LAMPS = 1 WHERE Z_PK = 2")
        try connect().run("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", row)
        let found = try Self.findings(path)
        #expect(found.map(\.rule) == ["sqlite-integrity"])
        #expect(found.first?.what == "row 2 missing from index \(name)")
    }

    @Test("pages that cannot be read are reported, and what is on others is still checked")
    func damagedPages() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Museum.plant("UPDATE ZLAMP SET Z_OPT = 0 WHERE Z_PK = 2", in: path)
        try Pages.overwrite("ZWORK", in: path)
        let found = try Self.findings(path)
        #expect(found.contains { $0.place == "file" && ["damaged", "sqlite-integrity"].contains($0.rule) })
        #expect(found.contains { $0.rule == "damaged" && $0.place == "ZWORK" })
        #expect(found.contains { $0.rule == "row-version" && $0.place == "ZLAMP 2" })
    }

    private static func findings(_ path: String) throws -> [Violation] {
        let store = try Store.open(path)
        return try StoreVerifier.verify(try StoreConnector.offlineReader(path), store: store)
    }
}
