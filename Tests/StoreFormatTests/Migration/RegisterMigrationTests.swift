import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// Ownership of an adopted store.
@Suite struct RegisterMigrationTests {
    private static let old = Short.model(
        Short.entity("Book", [Short.attribute("title")], [Short.toMany("tags", "Tag", inverse: "books")]),
        Short.entity("Card", [], [Short.toOne("member", "Member", inverse: "card")]),
        Short.entity("Member", [], [Short.toOne("card", "Card", inverse: "member")]),
        Short.entity("Tag", [Short.attribute("name")], [Short.toMany("books", "Book", inverse: "tags")]))

    /// Units: Book (legacy, epoch 3), Card with Member (model, epoch 2), Tag (model, epoch 1, which owns the join rows).
    private func sample() throws -> MigrationSample {
        let sample = try MigrationSample(Self.old)
        try sample.write { writer in
            let connection = writer.connection
            _ = try writer.save(SampleStore.authority, TransactionIdentity()) { save in
                try SampleStore.insert("Book", ["title": .string("Dune")], in: save)
            }
            try connection.transaction(.immediate) {
                try CoexistenceTables.create(connection)
                try connection.execute(
                    """
                    INSERT INTO COEXIST_STATE VALUES (1, 2, 0, 2, 7, 0, 'off', 0, 'wal', NULL, 0);
                    INSERT INTO COEXIST_UNIT VALUES ('Book', 'legacy', 'model', 3, 0, 5), ('Card', 'model', 'legacy', 2, 0, 6),
                        ('Tag', 'model', NULL, 1, 0, 0);
                    INSERT INTO COEXIST_ENTITY VALUES (1, 'Book', 'Book'), (2, 'Card', 'Card'), (3, 'Member', 'Card'),
                        (4, 'Tag', 'Tag');
                    INSERT INTO COEXIST_JOIN VALUES ('Z_1TAGS', 'Tag');
                    INSERT INTO COEXIST_TRANSACTION VALUES (1, 'legacy', 'one', 'Book=3' || char(10) || 'Card=2', NULL);
                    INSERT INTO COEXIST_HANDOVER VALUES (1, 'Card', 'legacy', 'model', 2, 6, 'me', 'why', 0),
                        (2, 'Book', 'model', 'legacy', 3, 5, NULL, NULL, 1);
                    """)
            }
        }
        return sample
    }

    @Test func unitsKeepOwnerAndEpochUnderTheirNamesOfNow() throws {
        let sample = try sample()
        let new = Short.model(
            Short.entity("Aisle"),
            Short.entity(
                "Tome", was: "Book", [Short.attribute("title")],
                [Short.toMany("tags", "Tag", inverse: "books")]),
            Short.entity("Card"), Short.entity("Member"),
            Short.entity("Tag", [Short.attribute("name")], [Short.toMany("books", "Tome", inverse: "tags")]))
        try sample.migrate(to: new)
        #expect(
            try sample.rows("SELECT NAME, OWNER, PREVIOUS, EPOCH, FROZEN, SINCE FROM COEXIST_UNIT ORDER BY NAME") == [
                "Aisle|legacy||1|0|\(try sample.rows("SELECT SINCE FROM COEXIST_UNIT WHERE NAME = 'Aisle'")[0])",
                "Card|model|legacy|2|0|6.0", "Member|model|legacy|2|0|6.0", "Tag|model||1|0|0.0",
                "Tome|legacy|model|3|0|5.0",
            ])
        #expect(
            try sample.rows("SELECT NUMBER, NAME, UNIT FROM COEXIST_ENTITY") == [
                "1|Aisle|Aisle", "2|Card|Card", "3|Member|Member", "4|Tag|Tag", "5|Tome|Tome",
            ])
        #expect(try sample.rows("SELECT NAME, UNIT FROM COEXIST_JOIN") == ["Z_4BOOKS|Tag"])
        #expect(
            try sample.rows("SELECT NUMBER, STACK, INSTANCE, replace(EPOCHS, char(10), ',') FROM COEXIST_TRANSACTION")
                == [
                    "1|legacy|one|Card=2,Member=2,Tome=3"
                ])
        #expect(
            try sample.rows("SELECT UNIT, EPOCH, OWNER FROM COEXIST_HANDOVER ORDER BY ID") == [
                "Card|2|model", "Member|2|model", "Tome|3|legacy",
            ])
        #expect(try sample.rows("SELECT COMMITS, TIMELINE FROM COEXIST_STATE") == ["8|2"])
        try sample.expectSound(new)
    }

    @Test func unitsOfTwoOwnersAreNotMerged() throws {
        let sample = try sample()
        var new = Self.old
        new.entities[0].relationships.append(Short.toOne("card", "Card", inverse: "book"))
        new.entities[1].relationships.append(Short.toOne("book", "Book", inverse: "card"))
        let refusals = try sample.refusals(to: new)
        #expect(refusals.map { "\($0.place) \($0.code.rawValue)" } == ["Book UnitsMerged"])
        #expect(refusals.first?.reason.hasSuffix("Book (legacy) and Card (model)") == true)
        try sample.execute("UPDATE COEXIST_UNIT SET OWNER = 'model', EPOCH = 4 WHERE NAME = 'Book'")
        try sample.migrate(to: new)
        #expect(
            try sample.rows("SELECT NAME, OWNER, EPOCH FROM COEXIST_UNIT ORDER BY NAME") == [
                "Book|model|4", "Tag|model|1",
            ])
        #expect(
            try sample.rows("SELECT replace(EPOCHS, char(10), ',') FROM COEXIST_TRANSACTION") == ["Book=3"],
            "of two units that became one, the higher epoch")
        try sample.expectSound(new)
    }

    @Test func aFrozenUnitIsNotMigrated() throws {
        let sample = try sample()
        try sample.execute("UPDATE COEXIST_UNIT SET FROZEN = 1 WHERE NAME = 'Tag'")
        var new = Self.old
        new.entities[3].attributes.append(Short.attribute("color"))
        let refusals = try sample.refusals(to: new)
        #expect(refusals.map { "\($0.place) \($0.code.rawValue)" } == ["Tag Frozen"])
        #expect(refusals.first?.way.contains("`coexistctl thaw \(sample.path) Tag`") == true)
    }

    @Test func whatWasInheritedStaysSoUnderTheNamesOfNow() throws {
        let sample = try sample()
        // A key that leads nowhere, known since adoption, and one of a kind that is not.
        try sample.execute(
            """
            INSERT INTO ZCARD (Z_PK, Z_ENT, Z_OPT, ZMEMBER) VALUES (1, 2, 1, 99); UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 2;
            INSERT INTO COEXIST_INHERITED VALUES ('dangling', 'ZCARD 1.member', 'Member 99 does not exist');
            """)
        func found() throws -> [String] {
            let store = try Store.open(sample.path)
            return try StoreVerifier.verify(try StoreConnector.offlineReader(sample.path), store: store)
                .map { "\($0.severity.rawValue) \($0.rule) \($0.place)" }
        }
        #expect(try found() == ["inherited dangling ZCARD 1.member"])
        var new = Self.old
        new.entities[1].name = "Pass"
        new.entities[1].renamingIdentifier = "Card"
        new.entities[2].relationships[0].destinationEntityName = "Pass"
        try sample.migrate(to: new)
        #expect(try found() == ["inherited dangling ZPASS 1.member"])
    }

    @Test func numbersThatWerePurgedOrPassedOverStaySo() throws {
        let sample = try sample()
        // The counter is behind what was purged.
        try sample.execute(
            """
            UPDATE COEXIST_STATE SET PURGE_FLOOR = 9;
            INSERT INTO COEXIST_INHERITED VALUES ('skipped', '3', '5');
            """)
        var new = Self.old
        new.entities[3].attributes.append(Short.attribute("color"))
        try sample.migrate(to: new)
        #expect(try sample.rows("SELECT max(Z_PK) FROM ATRANSACTION") == ["10"])
        #expect(try SkippedNumbers.read(StoreConnector.offlineReader(sample.path)) == [3...5])
    }
}
