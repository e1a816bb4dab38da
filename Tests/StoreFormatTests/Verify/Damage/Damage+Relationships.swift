import StoreFormat

/// Damages of keys, join tables and orders.
extension Damage {
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
}
