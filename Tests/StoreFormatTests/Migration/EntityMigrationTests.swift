import StoreFormat
import StoreModel
import TestKit
import Testing

/// What becomes of entities, their numbers and trees.
@Suite struct EntityMigrationTests {
    /// Owner 1, Pet 2 with Cat 3 and Dog 4.
    private static let pets = Short.model(
        Short.entity("Owner", [], [Short.toOne("pet", "Pet"), Short.toMany("seen", "Pet", inverse: "seenBy")]),
        Short.entity("Pet", [Short.attribute("name")], [Short.toMany("seenBy", "Owner", inverse: "seen")]),
        Short.entity("Cat", parent: "Pet"), Short.entity("Dog", parent: "Pet"))
    private static let rows = """
        INSERT INTO ZPET (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 3, 1, 'Tom'), (2, 4, 1, 'Rex'), (3, 2, 1, 'It');
        INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT, ZPET, Z2_PET) VALUES (1, 1, 1, 1, 3), (2, 1, 1, 2, 4);
        INSERT INTO Z_2SEENBY (Z_2SEEN, Z_1SEENBY) VALUES (1, 1), (2, 1), (3, 2);
        UPDATE Z_PRIMARYKEY SET Z_MAX = 5 WHERE Z_NAME = 'Pet'; UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Owner';
        """

    @Test func anEntityThatComesFirstShiftsEveryNumber() throws {
        let sample = try MigrationSample(Self.pets, sql: Self.rows)
        var new = Self.pets
        new.entities.append(Short.entity("Aardvark", [Short.attribute("name")]))
        new.entities.append(Short.entity("Bird", parent: "Pet"))
        try sample.migrate(to: new)
        // Aardvark 1, Owner 2, Pet 3, Bird 4, Cat 5, Dog 6.
        #expect(
            try sample.rows("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 16000") == [
                "1|Aardvark|0|0", "2|Owner|0|2", "3|Pet|0|5", "4|Bird|3|0", "5|Cat|3|0", "6|Dog|3|0",
            ])
        #expect(try sample.rows("SELECT Z_PK, Z_ENT, ZNAME FROM ZPET ORDER BY 1") == ["1|5|Tom", "2|6|Rex", "3|3|It"])
        #expect(try sample.rows("SELECT Z_PK, ZPET, Z3_PET FROM ZOWNER ORDER BY 1") == ["1|1|5", "2|2|6"])
        #expect(try sample.rows("SELECT Z_3SEEN, Z_2SEENBY FROM Z_3SEENBY") == ["1|1", "2|1", "3|2"])
        try sample.expectSound(new)
    }

    @Test func anEntityWithObjectsIsRemovedOnlyWhenThatIsAllowed() throws {
        let sample = try MigrationSample(Self.pets, sql: Self.rows)
        var new = Self.pets
        new.entities.removeLast()
        let refusals = try sample.refusals(to: new)
        #expect(refusals.map { "\($0.place) \($0.code.rawValue)" } == ["Dog DataLoss"])
        try sample.migrate(to: new, allowsDataLoss: true)
        #expect(try sample.rows("SELECT Z_PK, Z_ENT, ZNAME FROM ZPET ORDER BY 1") == ["1|3|Tom", "3|2|It"])
        #expect(
            try sample.rows("SELECT Z_PK, ZPET, Z2_PET FROM ZOWNER ORDER BY 1") == ["1|1|3", "2||"],
            "no key leads to what is gone"
        )
        #expect(try sample.rows("SELECT Z_2SEEN, Z_1SEENBY FROM Z_2SEENBY") == ["1|1", "3|2"])
        #expect(try sample.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Pet'") == ["5"])
        try sample.expectSound(new)
    }

    @Test func aRenamedRootMovesItsTable() throws {
        let sample = try MigrationSample(Self.pets, sql: Self.rows)
        let new = Short.model(
            Short.entity(
                "Owner", [], [Short.toOne("pet", "Animal"), Short.toMany("seen", "Animal", inverse: "seenBy")]),
            Short.entity(
                "Animal", was: "Pet", [Short.attribute("name")], [Short.toMany("seenBy", "Owner", inverse: "seen")]),
            Short.entity("Feline", parent: "Animal", was: "Cat"), Short.entity("Dog", parent: "Animal"))
        try sample.migrate(to: new)
        #expect(
            try sample.rows("SELECT Z_PK, Z_ENT, ZNAME FROM ZANIMAL ORDER BY 1") == ["1|3|Tom", "2|2|Rex", "3|1|It"])
        #expect(try sample.rows("SELECT Z_PK, ZPET, Z1_PET FROM ZOWNER ORDER BY 1") == ["1|1|3", "2|2|2"])
        #expect(try sample.rows("SELECT count(*) FROM sqlite_master WHERE name = 'ZPET'") == ["0"])
        try sample.expectSound(new)
    }

    @Test func aParentComesAboveAndKeysGoOnCounting() throws {
        let old = Short.model(
            Short.entity("Cat", [Short.attribute("name")]), Short.entity("Owner", [], [Short.toOne("pet", "Cat")]))
        let sample = try MigrationSample(
            old,
            sql: """
                INSERT INTO ZCAT (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (4, 1, 3, 'Tom');
                INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT, ZPET) VALUES (1, 2, 1, 4); UPDATE Z_PRIMARYKEY SET Z_MAX = 6;
                """)
        let new = Short.model(
            Short.entity("Animal", abstract: true, [Short.attribute("name")]), Short.entity("Cat", parent: "Animal"),
            Short.entity("Owner", [], [Short.toOne("pet", "Animal")]))
        try sample.migrate(to: new)
        #expect(try sample.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZNAME FROM ZANIMAL ORDER BY 1") == ["4|2|3|Tom"])
        #expect(try sample.rows("SELECT ZPET, Z1_PET FROM ZOWNER") == ["4|2"])
        #expect(
            try sample.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 16000") == [
                "Animal|6", "Cat|0", "Owner|6",
            ])
        try sample.expectSound(new)
    }

    @Test func aTreeIsTakenApartAndKeepsItsKeys() throws {
        let old = Short.model(Short.entity("A", [Short.attribute("text")]), Short.entity("B", parent: "A"))
        let sample = try MigrationSample(
            old,
            sql: """
                INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZTEXT) VALUES (1, 1, 1, 'a'), (2, 2, 1, 'b');
                UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 1;
                """)
        let new = Short.model(
            Short.entity("A", [Short.attribute("text")]), Short.entity("B", [Short.attribute("text")]))
        try sample.migrate(to: new)
        #expect(
            try sample.rows("SELECT Z_PK, ZTEXT FROM ZA UNION ALL SELECT Z_PK, ZTEXT FROM ZB ORDER BY 1") == [
                "1|a", "2|b",
            ])
        try sample.expectSound(new)
    }

    @Test func anEntityWithObjectsDoesNotBecomeAbstract() throws {
        let sample = try MigrationSample(Self.pets, sql: Self.rows)
        var new = Self.pets
        new.entities[1].isAbstract = true
        #expect(try sample.refusals(to: new).map { "\($0.place) \($0.code.rawValue)" } == ["Pet EntityAbstract"])
    }

    @Test func valuesThatAreToBeUniqueAndAreNotAreNamed() throws {
        func model(_ unique: [[String]]) -> ModelDescription {
            Short.model(Short.entity("Tag", unique: unique, [Short.attribute("name"), Short.attribute("area")]))
        }
        // Missing values are all different.
        let sample = try MigrationSample(
            model([]),
            sql: """
                INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME, ZAREA) VALUES (1, 1, 1, 'x', 'a'), (2, 1, 1, 'x', 'b'),
                    (3, 1, 1, NULL, 'a'), (4, 1, 1, NULL, 'a');
                UPDATE Z_PRIMARYKEY SET Z_MAX = 4;
                """)
        let refusals = try sample.refusals(to: model([["name"]]))
        #expect(refusals.map { "\($0.place) \($0.code.rawValue)" } == ["Tag.name NotUnique"])
        #expect(refusals.first?.reason.contains("Tag/1 and Tag/2") == true)
        let both = model([["name", "area"]])
        try sample.migrate(to: both)
        try sample.expectSound(both)
        #expect(throws: (any Error).self) { try sample.execute("UPDATE ZTAG SET ZAREA = 'a' WHERE Z_PK = 2") }
    }

    /// The constraint's index covers the table, which siblings share.
    @Test func valuesThatASubentityIsToHaveAloneAreComparedWithItsSiblings() throws {
        func model(_ unique: [[String]]) -> ModelDescription {
            Short.model(
                Short.entity("P", [Short.attribute("a")]), Short.entity("P2", parent: "P", unique: unique),
                Short.entity("P3", parent: "P"), Short.entity("A2", parent: "P2"))
        }
        // Numbers: P 1, P2 2, A2 3, P3 4.
        let sample = try MigrationSample(
            model([]),
            sql: """
                INSERT INTO ZP (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (1, 2, 1, 'x'), (2, 4, 1, 'x'), (3, 1, 1, 'y'), (4, 3, 1, 'z');
                UPDATE Z_PRIMARYKEY SET Z_MAX = 4 WHERE Z_ENT = 1;
                """)
        let refusals = try sample.refusals(to: model([["a"]]))
        #expect(refusals.map { "\($0.place) \($0.code.rawValue)" } == ["P2.a NotUnique"])
        #expect(refusals.first?.reason.contains("P2/1 and P3/2") == true)
        try sample.execute("UPDATE ZP SET ZA = 'w' WHERE Z_PK = 2")
        try sample.migrate(to: model([["a"]]))
        try sample.expectSound(model([["a"]]))
    }
}
