import StoreFormat
import StoreModel
import TestKit
import Testing

/// What becomes of what connects objects. A has the number 1, B the number 2.
@Suite struct RelationshipMigrationTests {
    private func model(_ a: RelationshipDescription?, _ b: RelationshipDescription?) -> ModelDescription {
        Short.model(
            Short.entity("A", [], [a].compactMap { $0 }), Short.entity("B", [], [b].compactMap { $0 }))
    }

    private var oneToMany: ModelDescription {
        model(Short.toMany("bs", "B", inverse: "a"), Short.toOne("a", "A", inverse: "bs"))
    }

    private static let rows = """
        INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 1, 1);
        INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1), (2, 2, 1), (3, 2, 1), (4, 2, 1);
        UPDATE Z_PRIMARYKEY SET Z_MAX = 4;
        """
    /// 1 has 3 and 1, 2 has 2, and 4 is alone.
    private static let keys = """
        UPDATE ZB SET ZA = 1 WHERE Z_PK IN (1, 3); UPDATE ZB SET ZA = 2 WHERE Z_PK = 2;
        """

    @Test func bothOrdersOfAPairAreKeptWhereNamesEndInDigits() throws {
        func model(_ attributes: [AttributeDescription]) -> ModelDescription {
            Short.model(
                Short.entity(
                    "A", attributes,
                    [
                        Short.toMany("link1", "A", inverse: "link2", ordered: true),
                        Short.toMany("link2", "A", inverse: "link1", ordered: true),
                    ]))
        }
        let sample = try MigrationSample(
            model([]),
            sql: """
                INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 1, 1), (4, 1, 1), (5, 1, 1);
                UPDATE Z_PRIMARYKEY SET Z_MAX = 5;
                INSERT INTO Z_1LINK2 (Z_1LINK1, Z_1LINK2, Z_FOK_1LINK1, Z_FOK_1LINK2)
                VALUES (1, 4, 2048, 3072), (2, 4, 3072, 3072), (1, 5, 2048, 2048), (2, 5, 3072, 2048);
                """)
        let rows = "SELECT Z_1LINK1, Z_1LINK2, Z_FOK_1LINK1, Z_FOK_1LINK2 FROM Z_1LINK2 ORDER BY 1, 2"
        let new = model([Short.attribute("n")])
        try sample.migrate(to: new)
        #expect(try sample.rows(rows) == ["1|4|2048|3072", "1|5|2048|2048", "2|4|3072|3072", "2|5|3072|2048"])
        try sample.expectSound(new)
    }

    @Test func aToOneBecomesToMany() throws {
        let sample = try MigrationSample(oneToMany, sql: Self.rows + Self.keys)
        let new = model(
            Short.toMany("bs", "B", inverse: "owners"), Short.toMany("owners", "A", inverse: "bs", was: "a"))
        try sample.migrate(to: new)
        #expect(try sample.rows("SELECT Z_1OWNERS, Z_2BS FROM Z_1BS ORDER BY 1, 2") == ["1|1", "1|3", "2|2"])
        try sample.expectSound(new)
    }

    @Test func anOneToOneBecomesOneToMany() throws {
        let old = model(Short.toOne("b", "B", inverse: "a"), Short.toOne("a", "A", inverse: "b"))
        let sample = try MigrationSample(
            old, sql: Self.rows + "UPDATE ZA SET ZB = 3 WHERE Z_PK = 1; UPDATE ZB SET ZA = 1 WHERE Z_PK = 3;")
        let new = model(Short.toMany("b", "B", inverse: "a"), Short.toOne("a", "A", inverse: "b"))
        try sample.migrate(to: new)
        #expect(try sample.rows("SELECT Z_PK, ZA FROM ZB ORDER BY 1") == ["1|", "2|", "3|1", "4|"])
        try sample.expectSound(new)
    }

    @Test func aToOneAloneBecomesAToManyAlone() throws {
        let sample = try MigrationSample(
            model(Short.toOne("b", "B"), nil), sql: Self.rows + "UPDATE ZA SET ZB = 3 WHERE Z_PK = 1")
        let new = model(Short.toMany("b", "B"), nil)
        try sample.migrate(to: new)
        #expect(try sample.rows("SELECT Z_PK, Z1B FROM ZB ORDER BY 1") == ["1|", "2|", "3|1", "4|"])
        try sample.expectSound(new)
        // With two that lead to the same, one would be lost.
        let shared = try MigrationSample(
            model(Short.toOne("b", "B"), nil), sql: Self.rows + "UPDATE ZA SET ZB = 3")
        let refusals = try shared.refusals(to: new)
        #expect(refusals.map { "\($0.place) \($0.code.rawValue)" } == ["A.b NotUnique"])
        #expect(refusals.first?.reason.contains("B/3 from A/1,2") == true)
    }

    @Test func anOrderBeginsByKeyAndIsKept() throws {
        let sample = try MigrationSample(oneToMany, sql: Self.rows + Self.keys)
        let new = model(Short.toMany("bs", "B", inverse: "a", ordered: true), Short.toOne("a", "A", inverse: "bs"))
        try sample.migrate(to: new)
        let order = "SELECT Z_PK, ZA, Z_FOK_A FROM ZB ORDER BY 1"
        #expect(try sample.rows(order) == ["1|1|2048", "2|2|2048", "3|1|3072", "4||"])
        try sample.expectSound(new)
        try sample.execute("UPDATE ZB SET Z_FOK_A = 1024 WHERE Z_PK = 3")
        var more = new
        more.entities[1].attributes.append(Short.attribute("text"))
        try sample.migrate(to: more)
        #expect(try sample.rows(order) == ["1|1|2048", "2|2|2048", "3|1|1024", "4||"])
        try sample.expectSound(more)
        try sample.migrate(to: oneToMany, allowsDataLoss: true)
        #expect(try sample.rows("SELECT Z_PK, ZA FROM ZB ORDER BY 1") == ["1|1", "2|2", "3|1", "4|"])
        try sample.expectSound(oneToMany)
    }

    @Test func bothOrdersOfAJoinTableBeginByKey() throws {
        let old = model(Short.toMany("bs", "B", inverse: "as"), Short.toMany("as", "A", inverse: "bs"))
        let sample = try MigrationSample(
            old, sql: Self.rows + "INSERT INTO Z_1BS (Z_1AS, Z_2BS) VALUES (1, 4), (1, 2), (2, 4);")
        let new = model(
            Short.toMany("bs", "B", inverse: "as", ordered: true), Short.toMany("as", "A", inverse: "bs", ordered: true)
        )
        try sample.migrate(to: new)
        #expect(
            try sample.rows("SELECT Z_1AS, Z_2BS, Z_FOK_2BS, Z_FOK_1AS FROM Z_1BS ORDER BY 1, 2") == [
                "1|2|2048|2048", "1|4|3072|2048", "2|4|2048|3072",
            ])
        try sample.expectSound(new)
    }

    @Test func aToManyWithoutInverseGetsOneAndLosesItAgain() throws {
        let alone = model(Short.toMany("bs", "B"), nil)
        let sample = try MigrationSample(
            alone,
            sql: Self.rows + "UPDATE ZB SET Z1BS = 1 WHERE Z_PK IN (1, 3); UPDATE ZB SET Z1BS = 2 WHERE Z_PK = 2;")
        try sample.migrate(to: oneToMany)
        #expect(try sample.rows("SELECT Z_PK, ZA FROM ZB ORDER BY 1") == ["1|1", "2|2", "3|1", "4|"])
        try sample.expectSound(oneToMany)
        try sample.migrate(to: alone)
        #expect(try sample.rows("SELECT Z_PK, Z1BS FROM ZB ORDER BY 1") == ["1|1", "2|2", "3|1", "4|"])
        try sample.expectSound(alone)
    }

    @Test func aRemovedRelationshipWhoseOtherWayStaysIsNoLoss() throws {
        let sample = try MigrationSample(oneToMany, sql: Self.rows + Self.keys)
        #expect(try sample.refusals(to: model(nil, nil)).map(\.place) == ["A.bs", "B.a"])
        let new = model(nil, Short.toOne("a", "A"))
        try sample.migrate(to: new)
        #expect(try sample.rows("SELECT Z_PK, ZA FROM ZB ORDER BY 1") == ["1|1", "2|2", "3|1", "4|"])
        try sample.expectSound(new)
    }

    @Test func aRelationshipBecomesMandatoryWhereEveryObjectHasOne() throws {
        let sample = try MigrationSample(oneToMany, sql: Self.rows + Self.keys)
        let new = model(
            Short.toMany("bs", "B", inverse: "a"), Short.toOne("a", "A", inverse: "bs", optional: false))
        let refusals = try sample.refusals(to: new)
        #expect(refusals.map { "\($0.place) \($0.code.rawValue)" } == ["B.a ValueMissing"])
        #expect(refusals.first?.reason.hasSuffix("1 objects lead nowhere: B/4") == true)
        try sample.execute("UPDATE ZB SET ZA = 2 WHERE Z_PK = 4")
        try sample.migrate(to: new)
        try sample.expectSound(new)
    }

    @Test func theNewOtherWayOfAToOneIsFilled() throws {
        let sample = try MigrationSample(
            model(nil, Short.toOne("a", "A")), sql: Self.rows + "UPDATE ZB SET ZA = 2 WHERE Z_PK = 3")
        let new = model(Short.toOne("b", "B", inverse: "a"), Short.toOne("a", "A", inverse: "b"))
        try sample.migrate(to: new)
        #expect(try sample.rows("SELECT Z_PK, ZB FROM ZA ORDER BY 1") == ["1|", "2|3"])
        try sample.expectSound(new)
    }

    @Test func aSelfInverseKeepsBothRowsOfAPair() throws {
        let old = Short.model(Short.entity("A", [], [Short.toMany("friends", "A", inverse: "friends")]))
        let sample = try MigrationSample(
            old,
            sql: """
                INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 1, 1); UPDATE Z_PRIMARYKEY SET Z_MAX = 2;
                INSERT INTO Z_1FRIENDS (Z_1FRIENDS, REFLEXIVE) VALUES (1, 2), (2, 1);
                """)
        let new = Short.model(
            Short.entity("AA"),
            Short.entity("Z", was: "A", [], [Short.toMany("peers", "Z", inverse: "peers", was: "friends")]))
        try sample.migrate(to: new)
        #expect(try sample.rows("SELECT Z_2PEERS, REFLEXIVE FROM Z_2PEERS ORDER BY 1") == ["1|2", "2|1"])
        try sample.expectSound(new)
    }
}
