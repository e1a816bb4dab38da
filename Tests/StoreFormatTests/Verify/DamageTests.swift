import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// Every rule of `verify` finds the damage that is planted against it, and nothing else.
@Suite
struct DamageTests {
    /// What Apple's frameworks leave behind, or an application adds, and is no fault.
    static let harmless = [
        "UPDATE ZWORK SET Z_FOK_ROOM = Z_FOK_ROOM * 1000", "UPDATE ZWORK SET Z_FOK_ROOM = Z_FOK_ROOM - 4000",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 900 WHERE Z_NAME = 'Lamp'", "UPDATE ZFRAME SET ZSCALE = 9e999",
        "UPDATE ZWORK SET ZVALUE = -3.4e165 WHERE Z_PK = 2",
        "UPDATE ATRANSACTION SET ZQUERYGEN = zeroblob(48) WHERE Z_PK = 2",
        "UPDATE ZWORK SET ZLATITUDE = NULL, ZLONGITUDE = NULL WHERE 0", "CREATE INDEX mine ON ZLAMP (ZWATTS)",
        "UPDATE ZWORK SET ZACQUIRED = -63114076800 WHERE Z_PK = 2", "UPDATE ZLAMP SET ZLABEL = 'AB12' WHERE Z_PK = 2",
        "UPDATE ZWORK SET ZTITLE = 'Œuvre 🖼' WHERE Z_PK = 2", "CREATE TABLE notes (text)",
        "CREATE TRIGGER mine AFTER INSERT ON ZLAMP BEGIN SELECT 1; END",
    ]

    static let all =
        Damage.catalogue + Damage.rows + Damage.values + Damage.relationships + Damage.schema + Damage.history
        + Damage.warnings

    @Test("what is no fault is not reported", arguments: harmless)
    func tolerated(_ sql: String) throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Museum.plant(sql, in: path)
        #expect(try Museum.findings(path) == [])
    }

    @Test("the store that the damages are planted in is sound")
    func sound() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        #expect(try Museum.findings(path) == [])
        try Oracle.expectSound(path)
    }

    @Test("a planted damage is found where it is, and nothing else", arguments: all)
    func planted(_ damage: Damage) throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Museum.plant(damage.sql, in: path)
        let found = try Museum.findings(path)
        #expect(Set(found.map { [$0.rule, $0.place] }) == Set(damage.findings.map { Array($0.prefix(2)) }))
        #expect(found.count == damage.findings.count, "\(found)")
        for finding in damage.findings {
            let violation = found.first { $0.rule == finding[0] && $0.place == finding[1] }
            #expect(violation?.what.contains(finding[2]) ?? false, "\(violation?.what ?? "")")
            #expect(violation?.severity == damage.severity)
        }
    }

    @Test("a deletion without the mandatory value that it is to keep is found, one of an optional value is none")
    func missingTombstone() throws {
        var mandatory = Short.attribute("number", .integer32, optional: false, kept: true)
        mandatory.defaultValue = .integer(0)
        let note = Short.entity("Note", [Short.attribute("name", kept: true), mandatory])
        let sample = try SampleStore(Short.model(note))
        let key = try sample.insert("Note", ["number": .integer(7)])
        try sample.delete("Note", key)
        #expect(try sample.violations() == [])
        try Museum.plant("UPDATE ACHANGE SET ZTOMBSTONE1 = NULL WHERE ZCHANGETYPE = 2", in: sample.path)
        let found = try sample.violations()
        #expect(found.map { [$0.rule, $0.place] } == [["history-tombstone", "ACHANGE 2"]])
        #expect(found.first?.what.contains("Note.number is mandatory") == true)
    }

    @Test(
        "entities may have the names of the history tables", arguments: ["TRANSACTION", "CHANGE", "TRANSACTIONSTRING"])
    func historyNames(_ name: String) throws {
        let model = Short.model(Short.entity(name, [Short.attribute("text")]), Short.entity("Note"))
        let sample = try SampleStore(model)
        try sample.insert(name, ["text": .string("x")])
        #expect(try sample.violations() == [])
        let store = try Store.open(sample.path, model: model)
        #expect(try SchemaAgreement.compare(model, with: store.metadata).isEmpty)
    }

    @Test("damaged metadata is found", arguments: MetadataDamage.all)
    func metadata(_ damage: MetadataDamage) throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try damage.plant(path)
        #expect(Set(try Museum.findings(path).map { [$0.rule, $0.place] }) == Set(damage.findings))
    }
}
