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
    var severity: Violation.Severity

    init(_ sql: String, _ findings: [String]..., severity: Violation.Severity = .error) {
        self.sql = sql
        self.findings = findings
        self.severity = severity
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
        Damage("INSERT INTO Z_PRIMARYKEY VALUES (9, 'Lamp', 0, 0)", ["catalogue-extra", "Lamp", "number 9"]),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_NAME = 'Lamp'",
            ["key-counter", "ZLAMP", "leaves no key"]),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_SUPER = 0 WHERE Z_NAME = 'Guide'", ["catalogue-super", "Guide", "expected 3"]),
        Damage(
            "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Lamp'", ["catalogue-missing", "Lamp", "Z_PRIMARYKEY does not"],
            ["key-counter", "ZLAMP", "highest Z_PK 2"], ["row-entity", "ZLAMP 1", "Z_ENT 2"],
            ["row-entity", "ZLAMP 2", "Z_ENT 2"], ["history-entity", "ACHANGE 10", "ZENTITY 2"],
            ["history-entity", "ACHANGE 11", "ZENTITY 2"], ["coexist-entity", "Lamp", "not in the model"]),
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
        Damage(
            "UPDATE ZWORK SET ZTITLE = CAST(x'66ff' AS TEXT) WHERE Z_PK = 2", ["value-text", "ZWORK 2.title", "UTF-8"]),
        Damage(
            "UPDATE ZWORK SET ZTITLE = CAST(x'e282' AS TEXT) WHERE Z_PK = 2", ["value-text", "ZWORK 2.title", "UTF-8"]),
        Damage(
            "UPDATE ZWORK SET ZLINK = CAST(x'c0af' AS TEXT) WHERE Z_PK = 2", ["value-text", "ZWORK 2.link", "UTF-8"]),
        Damage(
            "UPDATE ZWORK SET ZUNIT = CAST(x'eda080' AS TEXT) WHERE Z_PK = 2",
            ["value-text", "ZWORK 2.size.unit", "UTF-8"]),
        Damage(
            "UPDATE ZPERSON SET ZSTYLE = 'Dada' WHERE Z_PK = 2",
            ["value-entity", "ZPERSON 2.style", "ZSTYLE is of Artist, but the row is of the entity 5"]),
        Damage("UPDATE ZWORK SET ZACQUIRED = 9e999 WHERE Z_PK = 2", ["value-date", "ZWORK 2.acquired", "infinite"]),
        Damage("UPDATE ZWORK SET ZACQUIRED = -9e999 WHERE Z_PK = 2", ["value-date", "ZWORK 2.acquired", "infinite"]),
        Damage("UPDATE ZWORK SET ZVALUE = 9e999 WHERE Z_PK = 2", ["value-range", "ZWORK 2.value", "no decimal"]),
        Damage("UPDATE ZFRAME SET ZSCALE = 1e300", ["value-range", "ZFRAME 1.scale", "does not fit a Float"]),
        Damage(
            "UPDATE ZWORK SET ZYEAR = 9e999 WHERE Z_PK = 2", ["value-class", "ZWORK 2.year", "real"],
            ["value-range", "ZWORK 2.year", "Inf"]),
        Damage(
            "UPDATE ZWORK SET ZNUMBER = 'id' WHERE Z_PK = 2", ["value-class", "ZWORK 2.number", "expected blob"],
            ["value-uuid", "ZWORK 2.number", "2 bytes"]),
        Damage(
            "UPDATE ZWORK SET ZIMAGE = substr(ZIMAGE, 1, 37) WHERE Z_PK = 3",
            ["value-external", "ZWORK 3.image", "37 bytes"]),
        Damage("UPDATE ZROOM SET ZWORKSCOUNT = 9", ["derived-value", "ZROOM 1.worksCount", "expected 2"]),
        Damage(
            "UPDATE ZWORK SET ZMAKERNAME = 'Bob' WHERE Z_PK = 2",
            ["derived-value", "ZWORK 2.makerName", "expected Ada"]),
    ]

    static let relationships: [Damage] = [
        Damage(
            "UPDATE ZWORK SET ZMAKER = 77 WHERE Z_PK = 2", ["dangling", "ZWORK 2.maker", "Person 77"],
            ["derived-value", "ZWORK 2.makerName", "expected NULL"]),
        Damage(
            "UPDATE ZWORK SET ZMAKER = x'00' WHERE Z_PK = 2", ["dangling", "ZWORK 2.maker", "does not exist"],
            ["derived-value", "ZWORK 2.makerName", "expected NULL"]),
        Damage("UPDATE ZWORK SET Z_FOK_ROOM = 'last' WHERE Z_PK = 2", ["order-value", "ZWORK 2.room", "text"]),
        Damage("UPDATE Z_7WORKS SET Z_FOK_7TAGS = 1.5 WHERE Z_7TAGS = 2", ["order-value", "Z_7WORKS 1,2", "real"]),
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
        Damage("ALTER TABLE ZLAMP DROP COLUMN Z_OPT", ["column-missing", "ZLAMP Z_OPT", "no such column"]),
        Damage(
            "ALTER TABLE ZLAMP ADD COLUMN ZOLD INTEGER NOT NULL DEFAULT 0", ["column-form", "ZLAMP ZOLD", "NOT NULL"]),
        Damage("ALTER TABLE ACHANGE DROP COLUMN ZTOMBSTONE0", ["column-missing", "ACHANGE ZTOMBSTONE0", "no such"]),
        Damage("ALTER TABLE ACHANGE DROP COLUMN ZCOLUMNS", ["column-missing", "ACHANGE ZCOLUMNS", "no such column"]),
        Damage(
            "DROP INDEX ATRANSACTION_ZAUTHORTS_INDEX; ALTER TABLE ATRANSACTION DROP COLUMN ZAUTHORTS",
            ["column-missing", "ATRANSACTION ZAUTHORTS", "no such column"]),
        Damage(
            "DROP INDEX Z_Tag_UNIQUE_name; CREATE UNIQUE INDEX Z_Tag_UNIQUE_name ON ZTAG (ZNAME COLLATE NOCASE)",
            ["index-form", "ZTAG", "with ZNAME NOCASE"]),
        Damage(
            "DROP INDEX Z_Work_byTitle; CREATE INDEX Z_Work_byTitle ON ZWORK (ZTITLE DESC)",
            ["index-form", "ZWORK", "with ZTITLE DESC"]),
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
        Damage(
            "UPDATE ACHANGE SET ZCOLUMNS = x'00000000' WHERE Z_PK = 12",
            ["history-bitmap", "ACHANGE 12", "4 bytes for Work"]),
        Damage("UPDATE ACHANGE SET ZCOLUMNS = 'ab`' WHERE Z_PK = 12", ["history-columns", "ACHANGE 12", "is text"]),
        Damage("UPDATE ACHANGE SET ZENTITY = 16001 WHERE Z_PK = 10", ["history-entity", "ACHANGE 10", "16001"]),
        Damage(
            "UPDATE ACHANGE SET ZENTITY = 3 WHERE Z_PK = 10", ["history-entity", "ACHANGE 10", "abstract"],
            ["history-kind", "Person 1", "row says 4"]),
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
        Damage(
            "UPDATE ATRANSACTION SET ZTIMESTAMP = 9e999 WHERE Z_PK = 2", ["history-timestamp", "ATRANSACTION 2", "Inf"]),
        Damage(
            "UPDATE ATRANSACTION SET ZTIMESTAMP = 1e15 WHERE Z_PK = 2",
            ["history-timestamp", "ATRANSACTION 2", "Foundation"]),
        Damage(
            "UPDATE ATRANSACTIONSTRING SET ZNAME = CAST(x'ff' AS TEXT) WHERE Z_PK = 1",
            ["history-string", "ATRANSACTIONSTRING 1", "UTF-8"]),
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

    static let warnings: [Damage] = [
        Damage(
            "UPDATE ZWORK SET ZACQUIRED = 1e15 WHERE Z_PK = 2", ["value-date", "ZWORK 2.acquired", "Foundation"],
            severity: .warning),
        Damage(
            "UPDATE ZWORK SET ZACQUIRED = -9223372036854775808 WHERE Z_PK = 2",
            ["value-date", "ZWORK 2.acquired", "Foundation"], severity: .warning),
        Damage(
            "UPDATE ZLAMP SET ZWATTS = 0 WHERE Z_PK = 2",
            ["value-validation", "ZLAMP 2.watts", "less than the minimum 1"],
            severity: .warning),
        Damage(
            "UPDATE ZLAMP SET ZWATTS = 5001 WHERE Z_PK = 2", ["value-validation", "ZLAMP 2.watts", "the maximum 5000"],
            severity: .warning),
        Damage(
            "UPDATE ZLAMP SET ZLABEL = 'A' WHERE Z_PK = 2",
            ["value-validation", "ZLAMP 2.label", "1 characters, less"],
            severity: .warning),
        Damage(
            "UPDATE ZLAMP SET ZLABEL = 'ABCDEFGHI' WHERE Z_PK = 2",
            ["value-validation", "ZLAMP 2.label", "9 characters, more"], severity: .warning),
        Damage(
            "UPDATE ZLAMP SET ZLABEL = 'abc' WHERE Z_PK = 2", ["value-validation", "ZLAMP 2.label", "does not match"],
            severity: .warning),
        Damage(
            "ALTER TABLE ZLAMP ADD COLUMN ZOLD VARCHAR", ["column-extra", "ZLAMP ZOLD", "no property"],
            severity: .warning),
        Damage(
            "CREATE TABLE ZOLD ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )",
            ["table-extra", "ZOLD", "nothing in the model"], severity: .warning),
        Damage(
            "CREATE UNIQUE INDEX mine ON ZLAMP (ZWATTS)", ["index-extra", "ZLAMP", "mine is unique on ZLAMP (ZWATTS)"],
            severity: .warning),
        Damage(
            "CREATE TRIGGER Z_DA_ZLAMP_Lamp_old_SOURCE_INSERT AFTER INSERT ON ZLAMP BEGIN SELECT 1; END",
            ["trigger-extra", "ZLAMP", "Z_DA_ZLAMP_Lamp_old_SOURCE_INSERT"], severity: .warning),
    ]

    /// What Apple's frameworks leave behind, or an application adds, and is no fault.
    static let harmless = [
        "UPDATE ZWORK SET Z_FOK_ROOM = Z_FOK_ROOM * 1000", "UPDATE ZWORK SET Z_FOK_ROOM = Z_FOK_ROOM - 4000",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 900 WHERE Z_NAME = 'Lamp'", "UPDATE ZFRAME SET ZSCALE = 9e999",
        "UPDATE ZWORK SET ZLATITUDE = NULL, ZLONGITUDE = NULL WHERE 0", "CREATE INDEX mine ON ZLAMP (ZWATTS)",
        "UPDATE ZWORK SET ZACQUIRED = -63114076800 WHERE Z_PK = 2", "UPDATE ZLAMP SET ZLABEL = 'AB12' WHERE Z_PK = 2",
        "UPDATE ZWORK SET ZTITLE = 'Œuvre 🖼' WHERE Z_PK = 2", "CREATE TABLE notes (text)",
        "CREATE TRIGGER mine AFTER INSERT ON ZLAMP BEGIN SELECT 1; END",
    ]

    static let all = catalogue + rows + values + relationships + schema + history + warnings

    @Test("what is no fault is not reported", arguments: harmless)
    func tolerated(_ sql: String) throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Museum.plant(sql, in: path)
        #expect(try Self.findings(path) == [])
    }

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
            #expect(violation?.severity == damage.severity)
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

    @Test("an external file that holds nothing, is none, or serves two values is found")
    func externalFilesThatAreWrong() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        let data = folder.file(".library_SUPPORT/_EXTERNAL_DATA")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: data).first)
        let bytes = try #require(FileManager.default.contents(atPath: "\(data)/\(name)"))
        try Data().write(to: URL(fileURLWithPath: "\(data)/\(name)"))
        var found = try Self.findings(path)
        #expect(found.map { [$0.rule, $0.place] } == [["external-file", "ZWORK 3.image"]])
        #expect(found.first?.what == "its external file \(name) has 0 bytes")
        try FileManager.default.removeItem(atPath: "\(data)/\(name)")
        try FileManager.default.createDirectory(atPath: "\(data)/\(name)", withIntermediateDirectories: true)
        #expect(try Self.findings(path).map(\.what) == ["its external file \(name) is no ordinary file"])
        try FileManager.default.removeItem(atPath: "\(data)/\(name)")
        try bytes.write(to: URL(fileURLWithPath: "\(data)/\(name)"))
        try Museum.plant(
            "UPDATE ZWORK SET ZIMAGE = (SELECT ZIMAGE FROM ZWORK WHERE Z_PK = 3) WHERE Z_PK = 2", in: path)
        found = try Self.findings(path)
        #expect(found.map { [$0.rule, $0.place, $0.what] } == [["external-shared", name, "2 values name the file"]])
    }

    @Test(
        "a model cache that is gone, empty, broken or of another model is found",
        arguments: [
            ("DROP TABLE Z_MODELCACHE", "the table is missing"), ("DELETE FROM Z_MODELCACHE", "cannot be read"),
            ("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL", "cannot be read"),
            ("UPDATE Z_MODELCACHE SET Z_CONTENT = substr(Z_CONTENT, 1, 100)", "cannot be read"),
        ])
    func modelCache(_ sql: String, _ what: String) throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Museum.plant(sql, in: path)
        let found = try Self.findings(path, Museum.model)
        #expect(found.map { [$0.rule, $0.place] } == [["model-cache", "Z_MODELCACHE"]])
        #expect(found.first?.what.contains(what) ?? false)
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
        #expect(found.map { [$0.rule, $0.place] } == [["damaged", "ZWORK"], ["row-version", "ZLAMP 2"]])
    }

    @Test(
        "a damaged page is reported once, with its table",
        arguments: [
            ("ZWORK", "ZWORK"), ("ZWORK_ZROOM_INDEX", "ZWORK"), ("Z_7WORKS", "Z_7WORKS"), ("ZTAG", "ZTAG"),
            ("Z_Tag_UNIQUE_name", "ZTAG"), ("ZPERSON", "ZPERSON"), ("ACHANGE", "ACHANGE"),
            ("ATRANSACTION", "ATRANSACTION"), ("ATRANSACTIONSTRING", "ATRANSACTIONSTRING"), ("ZROOM", "ZROOM"),
            ("COEXIST_HANDOVER", "COEXIST_HANDOVER"),
        ])
    func onePage(_ name: String, _ table: String) throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Pages.overwrite(name, in: path)
        let found = try Self.findings(path)
        #expect(found.map { [$0.rule, $0.place] } == [["damaged", table]], "\(found)")
        let page = found.first?.what ?? ""
        #expect(page.contains(#/^page \d+/#) && page.contains("of its index \(name)") == (name != table), "\(page)")
    }

    @Test("a tombstone that names an external file is found: the file went with the object")
    func tombstoneOutside() throws {
        let sample = try SampleStore(SaveHistoryTests.film)
        for name in ["a", "b"] { try sample.insert("Film", ["title": .string(name)]) }
        for key in 1...2 { try sample.delete("Film", Int64(key)) }
        // A 2, the file's name, and a 0: 38 bytes. Values inline have a 1 in front, of whatever length.
        let name = "0A6F6C1E-5B0B-4C7E-9B0A-2F5D3E8C7A11".utf8.map { String(format: "%02x", $0) }.joined()
        try sample.connection.execute(
            """
            UPDATE ACHANGE SET ZTOMBSTONE0 = x'02\(name)00' WHERE Z_PK = 3;
            UPDATE ACHANGE SET ZTOMBSTONE0 = x'01\(name)00' WHERE Z_PK = 4
            """)
        let found = try sample.violations()
        #expect(found.map { [$0.rule, $0.place] } == [["history-tombstone", "ACHANGE 3"]], "\(found)")
        #expect(found.first?.what.contains("external file of poster") == true)
    }

    private static func findings(_ path: String, _ model: ModelDescription? = nil) throws -> [Violation] {
        let store = try Store.open(path, model: model)
        return try StoreVerifier.verify(try StoreConnector.offlineReader(path), store: store)
    }
}
