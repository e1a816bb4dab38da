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

    @Test("damaged metadata is found", arguments: MetadataDamage.all)
    func metadata(_ damage: MetadataDamage) throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try damage.plant(path)
        #expect(Set(try Museum.findings(path).map { [$0.rule, $0.place] }) == Set(damage.findings))
    }
}
