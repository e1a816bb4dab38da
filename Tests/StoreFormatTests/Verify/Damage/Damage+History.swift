import StoreFormat

/// Damages of history.
extension Damage {
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
            """, ["history-duplicate", "ACHANGE 15", "transaction 2 has another change of Work/1"]),
        Damage(
            "UPDATE ACHANGE SET ZTOMBSTONE0 = x'00' WHERE Z_PK = 14",
            ["history-tombstone", "ACHANGE 14", "Tag.name: blob, expected text"]),
        Damage(
            """
            INSERT INTO ACHANGE VALUES (15, 16001, NULL, 2, 2, 3, 4, NULL, 'A1');
            UPDATE Z_PRIMARYKEY SET Z_MAX = 15 WHERE Z_ENT = 16001; UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT = 2
            """, ["history-tombstone", "ACHANGE 15", "Lamp keeps nothing"]),
        Damage(
            """
            ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE1 BLOB; UPDATE ACHANGE SET ZTOMBSTONE1 = 'gone' WHERE Z_PK = 14
            """, ["history-tombstone", "ACHANGE 14", "ZTOMBSTONE1 is set, and Tag keeps 1"]),
        Damage(
            """
            INSERT INTO ACHANGE VALUES (15, 16001, NULL, 0, 2, 1, 4, NULL, NULL);
            UPDATE Z_PRIMARYKEY SET Z_MAX = 15 WHERE Z_ENT = 16001
            """, ["history-insert", "Lamp 1", "inserted in transaction 4, though transaction 1"]),
        Damage(
            "UPDATE ACHANGE SET ZTRANSACTIONID = 3 WHERE Z_PK = 6",
            ["history-insert", "Work 1", "inserted in transaction 3, though transaction 2"]),
        // The insert of Tag 3 says that it is of Work.
        Damage(
            "UPDATE ACHANGE SET ZENTITY = 8 WHERE Z_PK = 13", ["history-insert", "Work 3", "transaction 3, though"]),
        Damage(
            "UPDATE ATRANSACTION SET ZPROCESSIDTS = NULL WHERE Z_PK = 2",
            ["history-string", "ATRANSACTION 2", "ZPROCESSIDTS is NULL"]),
        Damage(
            "UPDATE ATRANSACTION SET ZBUNDLEIDTS = NULL WHERE Z_PK = 2",
            ["history-string", "ATRANSACTION 2", "ZBUNDLEIDTS is NULL"]),
        Damage(
            "UPDATE ATRANSACTION SET ZAUTHOR = 'Ada' WHERE Z_PK = 2",
            ["history-string", "ATRANSACTION 2", "ZAUTHOR is set"]),
        Damage(
            "UPDATE ATRANSACTION SET ZQUERYGEN = x'00' WHERE Z_PK = 2",
            ["history-generation", "ATRANSACTION 2", "blob of 1, expected 48 bytes"]),
        Damage("UPDATE ACHANGE SET Z_OPT = 1 WHERE Z_PK = 3", ["history-row", "ACHANGE 3", "Z_OPT 1"]),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_SUPER = 1 WHERE Z_ENT = 16001", ["catalogue-super", "CHANGE", "expected 0"]),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT = 16002",
            ["history-counter", "ATRANSACTION", "leaves no number"]),
        // Tag 3 was deleted.
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Tag'",
            ["key-counter", "ZTAG", "below the key 3 in history"]),
    ]
}
