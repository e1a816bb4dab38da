import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// What becomes of the values of attributes.
@Suite struct AttributeMigrationTests {
    private static let note = Short.entity("Note", [Short.attribute("title")])
    private static let three = """
        INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (1, 1, 4, 'one'), (2, 1, 1, NULL), (7, 1, 2, '');
        UPDATE Z_PRIMARYKEY SET Z_MAX = 9 WHERE Z_ENT = 1;
        """

    private func sample() throws -> MigrationSample { try MigrationSample(Short.model(Self.note), sql: Self.three) }

    @Test func anAttributeIsAddedWithItsDefaultInEveryRow() throws {
        let sample = try sample()
        let new = Short.model(
            Short.entity(
                "Note",
                [
                    Short.attribute("title"), Short.attribute("free", .double),
                    Short.attribute("stars", .integer16, optional: false, default: .integer(3)),
                    Short.attribute("isRead", .boolean, default: .bool(true)),
                    Short.attribute("made", .date, default: .date(Date(timeIntervalSinceReferenceDate: 86_400.5))),
                    Short.attribute("price", .decimal, default: .decimal(Decimal(string: "1.5") ?? 0)),
                    Short.attribute("kind", optional: false, default: .string("it's")),
                ]))
        let uuid = try Store.open(sample.path).uuid
        let report = try sample.migrate(to: new)
        #expect(
            try sample.rows(
                "SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, ZFREE, ZSTARS, ZISREAD, ZMADE, ZPRICE, ZKIND FROM ZNOTE") == [
                    "1|1|4|one||3|1|86400.5|1.5|it's", "2|1|1|||3|1|86400.5|1.5|it's", "7|1|2|||3|1|86400.5|1.5|it's",
                ])
        #expect(try sample.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Note'") == ["9"])
        #expect(try sample.rows("SELECT count(*) FROM ZNOTE WHERE ZTITLE = ''") == ["1"], "empty text is a value")
        #expect(try Store.open(sample.path).uuid == uuid)
        try sample.expectSound(new)
        let backup = try #require(report.backup)
        #expect(try Store.open(backup).metadata.versionHashes == Short.model(Self.note).versionHashes())
    }

    /// Whoever mends one thing after the other would have to try as often as there are faults.
    @Test func everythingThatIsAgainstItIsToldAtOnce() throws {
        let old = Short.entity(
            "Note", [Short.attribute("title"), Short.attribute("count", .integer16), Short.attribute("body")])
        let sample = try MigrationSample(
            Short.model(old, Short.entity("Old")),
            sql: """
                INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZCOUNT, ZBODY)
                VALUES (1, 1, 1, 'one', 1, 'text'), (2, 1, 1, 'one', 2, NULL), (3, 1, 1, NULL, NULL, 'more');
                INSERT INTO ZOLD (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1);
                """)
        let new = Short.model(
            Short.entity(
                "Note", unique: [["title"]],
                [
                    Short.attribute("title"), Short.attribute("count", .integer32),
                    Short.attribute("grade", .integer16, optional: false),
                ]))
        func told(_ refusals: [MappingRefusal]) -> Set<String> {
            Set(refusals.map { "\($0.code.rawValue) \($0.place)" })
        }
        let values: Set = ["TypeChanged Note.count", "NoDefault Note.grade", "NotUnique Note.title"]
        let losses: Set = ["DataLoss Note.body", "DataLoss Old"]
        #expect(try told(sample.refusals(to: new)) == values.union(losses))
        #expect(try told(sample.refusals(to: new, allowsDataLoss: true)) == values)
        let plan = try StoreMigrator(sample.path, to: new).plan()
        #expect(plan.losses.map { "\($0.entity).\($0.property ?? "") \($0.objects)" } == ["Note.body 2", "Old. 1"])
    }

    /// Where rows cannot be copied for the question, what would be lost is told all the same.
    @Test func lossesAreToldWhereAnAttributeBecomesARelationship() throws {
        let sample = try MigrationSample(
            Short.model(Short.entity("Note", [Short.attribute("title"), Short.attribute("body")])),
            sql: "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZBODY) VALUES (1, 1, 1, 'one', 'text')")
        let new = Short.model(Short.entity("Note", [], [Short.toOne("title", "Note")]))
        let told = try sample.refusals(to: new).map { "\($0.code.rawValue) \($0.place)" }
        #expect(told.contains("KindChanged Note.title") && told.contains("DataLoss Note.body"), "\(told)")
    }

    @Test func missingValuesOfWhatBecomesMandatoryReadTheDefault() throws {
        let sample = try sample()
        let new = Short.model(
            Short.entity("Note", [Short.attribute("title", optional: false, default: .string("Unnamed"))]))
        try sample.migrate(to: new)
        #expect(try sample.rows("SELECT Z_PK, ZTITLE FROM ZNOTE") == ["1|one", "2|Unnamed", "7|"])
        #expect(try sample.rows("SELECT count(*) FROM ZNOTE WHERE ZTITLE IS NULL") == ["0"])
        try sample.expectSound(new)
    }

    @Test func anIdentifierKeepsTheValues() throws {
        let sample = try sample()
        let new = Short.model(Short.entity("Note", [Short.attribute("heading", was: "title")]))
        try sample.migrate(to: new)
        #expect(try sample.rows("SELECT Z_PK, ZHEADING FROM ZNOTE") == ["1|one", "2|", "7|"])
        try sample.expectSound(new)
    }

    @Test func withoutAnIdentifierValuesAreRemovedOnlyWhenThatIsAllowed() throws {
        let sample = try sample()
        let new = Short.model(Short.entity("Note", [Short.attribute("heading")]))
        let refusals = try sample.refusals(to: new)
        #expect(refusals.map { "\($0.place) \($0.code.rawValue)" } == ["Note.title DataLoss"])
        #expect(refusals.first?.reason.contains("2 objects") == true, "'one' and '' are values, NULL is none")
        let plan = try StoreMigrator(sample.path, to: new).plan(allowsDataLoss: true)
        #expect(plan.refusals == [])
        #expect(plan.losses.map { "\($0.entity).\($0.property ?? "") \($0.objects)" } == ["Note.title 2"])
        try sample.migrate(to: new, allowsDataLoss: true)
        #expect(try sample.rows("SELECT Z_PK, ZHEADING FROM ZNOTE") == ["1|", "2|", "7|"])
        try sample.expectSound(new)
    }

    @Test func whatNoObjectHasMayGo() throws {
        let sample = try MigrationSample(
            Short.model(Self.note),
            sql: "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1);"
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
        let new = Short.model(Short.entity("Note"))
        try sample.migrate(to: new)
        try sample.expectSound(new)
    }

    @Test func attributesMoveUpAndDownTheTree() throws {
        let old = Short.model(
            Short.entity("Animal", abstract: true), Short.entity("Cat", parent: "Animal", [Short.attribute("name")]),
            Short.entity("Dog", parent: "Animal", [Short.attribute("name"), Short.attribute("trick")]))
        // The second name of the table is the later entity's.
        let sample = try MigrationSample(
            old,
            sql: """
                INSERT INTO ZANIMAL (Z_PK, Z_ENT, Z_OPT, ZNAME, ZNAME1, ZTRICK) VALUES
                    (1, 2, 1, 'Tom', NULL, NULL), (2, 3, 1, NULL, 'Rex', 'roll');
                UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 1;
                """)
        let up = Short.model(
            Short.entity("Animal", abstract: true, [Short.attribute("name")]), Short.entity("Cat", parent: "Animal"),
            Short.entity("Dog", parent: "Animal", [Short.attribute("trick")]))
        try sample.migrate(to: up)
        #expect(try sample.rows("SELECT Z_PK, Z_ENT, ZNAME, ZTRICK FROM ZANIMAL") == ["1|2|Tom|", "2|3|Rex|roll"])
        try sample.expectSound(up)
        #expect(
            try sample.refusals(
                to: Short.model(
                    Short.entity("Animal", abstract: true), Short.entity("Cat", parent: "Animal"),
                    Short.entity("Dog", parent: "Animal", [Short.attribute("name"), Short.attribute("trick")]))
            )
            .map(\.place) == ["Cat.name"], "dogs keep their names, cats would lose theirs")
        try sample.migrate(to: old)
        #expect(try sample.rows("SELECT Z_PK, ZNAME, ZNAME1 FROM ZANIMAL") == ["1|Tom|", "2||Rex"])
        try sample.expectSound(old)
    }

    @Test func elementsOfACompositeAreAddedAndRenamed() throws {
        func who(_ elements: AttributeDescription...) -> ModelDescription {
            var who = AttributeDescription(name: "who", type: .composite, isOptional: true)
            who.elements = elements
            return Short.model(Short.entity("Note", [who]))
        }
        let sample = try MigrationSample(
            who(Short.attribute("name"), Short.attribute("age", .integer64)),
            sql: """
                INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZNAME, ZAGE) VALUES (1, 1, 1, 'Ada', 36);
                UPDATE Z_PRIMARYKEY SET Z_MAX = 1;
                """)
        let new = who(
            Short.attribute("nick"), Short.attribute("years", .integer64, was: "age"), Short.attribute("name"))
        try sample.migrate(to: new)
        #expect(try sample.rows("SELECT ZNICK, ZYEARS, ZNAME FROM ZNOTE") == ["|36|Ada"])
        try sample.expectSound(new)
        let fewer = who(Short.attribute("nick"), Short.attribute("name"))
        #expect(try sample.refusals(to: fewer).map(\.place) == ["Note.who.years"])
    }

    @Test func externalStorageBeginsAndEndsWithTheSameBytes() throws {
        func model(_ external: Bool) -> ModelDescription {
            Short.model(Short.entity("Note", [Short.attribute("photo", .binaryData, external: external)]))
        }
        let sample = try MigrationSample(
            model(false),
            sql: """
                INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZPHOTO) VALUES (1, 1, 1, x'02ff00'), (2, 1, 1, NULL);
                UPDATE Z_PRIMARYKEY SET Z_MAX = 2;
                """)
        try sample.migrate(to: model(true))
        #expect(try sample.rows("SELECT ZPHOTO FROM ZNOTE") == ["0102ff00", ""])
        try sample.expectSound(model(true))
        // A second value in a file of its own.
        let big = [UInt8](repeating: 0xAB, count: ExternalData.threshold + 1)
        try sample.write { writer in
            let entity = try writer.store.layout.entity("Note")
            let leaf = try #require(entity.attribute("photo")?.leaf)
            _ = try writer.save(SampleStore.authority, TransactionIdentity()) { save in
                let value = try save.encode(.data(Data(big)), as: leaf)
                _ = try save.update(
                    entity, key: 2, expecting: nil, columns: [(index: try #require(leaf.column), value: value)],
                    changed: ["photo"])
            }
        }
        let files = sample.folder.file(".Sample_SUPPORT/_EXTERNAL_DATA")
        #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 1)
        try sample.migrate(to: model(false))
        #expect(try sample.rows("SELECT Z_PK, length(ZPHOTO) FROM ZNOTE") == ["1|3", "2|\(big.count)"])
        #expect(try sample.rows("SELECT ZPHOTO FROM ZNOTE WHERE Z_PK = 1") == ["02ff00"])
        #expect(!FileManager.default.fileExists(atPath: files), "no value refers to the file any more")
        try sample.expectSound(model(false))
    }

    @Test func aMissingExternalFileIsNotTakenForAValue() throws {
        func model(_ external: Bool) -> ModelDescription {
            Short.model(Short.entity("Note", [Short.attribute("photo", .binaryData, external: external)]))
        }
        let name = "9C6E0B1E-6F4B-4E0B-8C47-2B7A3B3B7C11"
        let hex = name.utf8.map { String($0, radix: 16) }.joined()
        let sample = try MigrationSample(
            model(true),
            sql: """
                INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZPHOTO) VALUES (1, 1, 1, x'02\(hex)00');
                UPDATE Z_PRIMARYKEY SET Z_MAX = 1;
                """)
        let refusals = try sample.refusals(to: model(false))
        #expect(refusals.map { "\($0.place) \($0.code.rawValue)" } == ["Note.photo ValueMissing"])
        #expect(refusals.first?.reason.contains(name) == true)
    }

    @Test func aDefaultOfAnotherTypeIsRefused() throws {
        let new = Short.model(
            Short.entity(
                "Note", [Short.attribute("title"), Short.attribute("stars", .integer16, default: .string("x"))]))
        #expect(try sample().refusals(to: new).map(\.code) == [.badDefault])
        let large = Short.model(
            Short.entity(
                "Note", [Short.attribute("title"), Short.attribute("stars", .integer16, default: .integer(40_000))]))
        #expect(try sample().refusals(to: large).map(\.code) == [.badDefault])
    }

    @Test func derivedValuesAreComputedForTheObjectsThatAreThere() throws {
        let old = Short.model(
            Short.entity("Note", [], [Short.toMany("parts", "Part", inverse: "note")]),
            Short.entity("Part", [Short.attribute("text")], [Short.toOne("note", "Note", inverse: "parts")]))
        let sample = try MigrationSample(
            old,
            sql: """
                INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 1, 1);
                INSERT INTO ZPART (Z_PK, Z_ENT, Z_OPT, ZNOTE) VALUES (1, 2, 1, 1), (2, 2, 1, 1), (3, 2, 1, NULL);
                UPDATE Z_PRIMARYKEY SET Z_MAX = 3;
                """)
        var count = Short.attribute("partCount", .integer64, optional: false)
        count.derivation = DerivationExpression(hashDescription: "count:(parts)", format: "parts.@count")
        var new = old
        new.entities[0].attributes.append(count)
        try sample.migrate(to: new)
        #expect(try sample.rows("SELECT Z_PK, ZPARTCOUNT FROM ZNOTE") == ["1|2", "2|0"])
        try sample.expectSound(new)
        // The triggers go on from there.
        try sample.execute("UPDATE ZPART SET ZNOTE = 2 WHERE Z_PK = 2")
        #expect(try sample.rows("SELECT Z_PK, ZPARTCOUNT FROM ZNOTE") == ["1|1", "2|1"])
    }
}
