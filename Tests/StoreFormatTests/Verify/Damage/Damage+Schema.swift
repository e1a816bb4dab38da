import StoreFormat

/// Damages of tables, indexes, triggers and metadata.
extension Damage {
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
            ["index-form", "ZTAG", "Z_Tag_UNIQUE_name is not unique, and must be"]),
        Damage(
            "DROP INDEX ZWORK_ZROOM_INDEX; CREATE INDEX ZWORK_ZROOM_INDEX ON ZWORK (ZFRAME)",
            ["index-form", "ZWORK", "ZWORK_ZROOM_INDEX covers ZFRAME instead of ZROOM"]),
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
            ["index-form", "ZTAG", "sorts by ZNAME NOCASE, and must not"]),
        Damage(
            "DROP INDEX Z_Work_byTitle; CREATE INDEX Z_Work_byTitle ON ZWORK (ZTITLE DESC)",
            ["index-form", "ZWORK", "sorts by ZTITLE DESC, and must not"]),
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
}
