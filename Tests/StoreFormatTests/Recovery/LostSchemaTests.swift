import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// Stores whose list of tables cannot be read.
@Suite
struct LostSchemaTests {
    private static let tables = ["ZFRAME", "ZLAMP", "ZPERSON", "ZROOM", "ZTAG", "ZWORK", "Z_7WORKS", "Z_8RELATED"]

    private func rows(_ path: String, _ table: String) throws -> [[SQLValue]] {
        try StoreConnector.offlineReader(path).query("SELECT * FROM \(table) ORDER BY 1, 2")
    }

    private func expectSound(_ path: String) throws {
        let store = try Store.open(path)
        #expect(try StoreVerifier.verify(try StoreConnector.offlineReader(path), store: store) == [])
    }

    @Test("every row comes back, and what was guessed is said", arguments: Pages.SchemaPart.allCases)
    func whole(_ part: Pages.SchemaPart) throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        let uuid = try Store.open(path).uuid
        let before = try Dictionary(uniqueKeysWithValues: Self.tables.map { ($0, try rows(path, $0)) })
        try Pages.overwriteSchema(part, in: path)
        let damaged = try FolderContents(folder.path).files
        let out = folder.file("out.db")
        let report = try StoreSalvage.salvage(path, to: out)
        #expect((report.entities + report.joins).allSatisfy { $0.lost == 0 })
        #expect(!report.isComplete, "what the list named beside these tables is not known")
        #expect(report.notes.first?.hasPrefix("the list of tables cannot be read") ?? false)
        let guessed = report.notes.filter { $0.hasPrefix("guessed: ") }
        // Where leaves of the list survive, they say what each table is.
        let isKnown = part == .first || part == .header
        #expect(guessed.contains("guessed: 3 rows of ZWORK, columns in the order of a new table") == !isKnown)
        #expect(guessed.isEmpty == isKnown, "\(guessed)")
        for table in Self.tables { #expect(try rows(out, table) == before[table], "\(table)") }
        #expect(try Store.open(out).uuid == uuid)
        try expectSound(out)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.contains("out") {
            try FileManager.default.removeItem(atPath: folder.file(name))
        }
        #expect(try FolderContents(folder.path).files == damaged)
    }

    @Test("what is in the log only is read too")
    func log() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            try connection.setCheckpointsOnClose(false)
            try connection.setMainTriggersEnabled(false)
            try connection.execute("UPDATE ZTAG SET ZNAME = 'wet' WHERE Z_PK = 1")
        }
        let pages = try Connection(path: path, mode: .readOnly).scalar(
            "SELECT max(pageno) FROM dbstat WHERE name = 'sqlite_schema'")?.integerValue
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: UInt64(try #require(pages) - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try file.close()
        _ = try StoreSalvage.salvage(path, to: folder.file("out.db"))
        #expect(try rows(folder.file("out.db"), "ZTAG").map { $0[3] } == ["wet", "old"])
    }

    @Test("without a model in the file one is asked for; with it, the rows are read")
    func model() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Pages.overwrite("Z_MODELCACHE", in: path)
        try Pages.overwriteSchema(.all, in: path)
        let out = folder.file("out.db")
        expectStoreError(.modelMissing) { _ = try StoreSalvage.salvage(path, to: out) }
        let report = try StoreSalvage.salvage(path, to: out, model: Museum.model)
        #expect(report.entities.map(\.read) == [1, 1, 1, 2, 0, 1, 2, 3])
        try expectSound(out)
    }

    @Test("rows that do not fit the model's columns are left out, and said: nothing tells which column is which")
    func otherOrder() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Museum.plant(
            """
            DROP TABLE ZLAMP;
            CREATE TABLE ZLAMP ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR, ZWATTS INTEGER,
                Z6LAMPS INTEGER );
            INSERT INTO ZLAMP VALUES (1, 2, 1, 'A1', 40, 1), (2, 2, 1, 'A2', 60, NULL)
            """, in: path)
        let known = folder.file("known.sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: known)
        try Pages.overwriteSchema(.first, in: known)
        _ = try StoreSalvage.salvage(known, to: folder.file("known.db"))
        #expect(
            try StoreConnector.offlineReader(folder.file("known.db")).query(
                "SELECT ZLABEL, ZWATTS, Z6LAMPS FROM ZLAMP ORDER BY Z_PK") == [["A1", 40, 1], ["A2", 60, .null]])
        try Pages.overwriteSchema(.all, in: path)
        let report = try StoreSalvage.salvage(path, to: folder.file("out.db"))
        #expect(report.entities.first { $0.name == "Lamp" } == .init(name: "Lamp", read: 0, lost: nil))
        #expect(report.notes.contains { $0.contains("2 rows that look like those of ZLAMP were left out") })
        #expect(report.entities.filter { $0.lost != 0 }.map(\.name) == ["Lamp"])
    }

    @Test("a page that is lost too leaves it open how many rows its table had")
    func lostTable() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Pages.overwrite("ZLAMP", in: path)
        try Pages.overwriteSchema(.all, in: path)
        let out = folder.file("out.db")
        let report = try StoreSalvage.salvage(path, to: out)
        #expect(report.entities.first { $0.name == "Lamp" } == .init(name: "Lamp", read: 0, lost: nil))
        #expect(report.entities.first { $0.name == "Work" } == .init(name: "Work", read: 3, lost: 0))
        try expectSound(out)
    }

    @Test("long values come back whole, rows of many pages too")
    func longValues() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("library.sqlite")
        let writer = try StoreWriter(store: try StoreCreator.create(path, model: Museum.model))
        _ = try writer.save(SampleStore.authority, TransactionIdentity()) { save in
            for i in 1...400 {
                let title = String(repeating: "é\(i)", count: i * 17)
                try SampleStore.insert("Work", ["title": .string(title), "year": .integer(Int64(i) - 200)], in: save)
            }
        }
        _ = try writer.connection.checkpoint(.truncate)
        try writer.connection.execute("DELETE FROM ZWORK WHERE Z_PK % 3 = 0")
        _ = try writer.connection.checkpoint(.truncate)
        let before = try writer.connection.query("SELECT Z_PK, ZTITLE, ZYEAR FROM ZWORK ORDER BY Z_PK")
        try Pages.overwriteSchema(.all, in: path)
        try FileManager.default.copyItem(atPath: path, toPath: folder.file("damaged.sqlite"))
        _ = try StoreSalvage.salvage(folder.file("damaged.sqlite"), to: folder.file("out.db"))
        #expect(before.count == 267)
        #expect(
            try StoreConnector.offlineReader(folder.file("out.db")).query(
                "SELECT Z_PK, ZTITLE, ZYEAR FROM ZWORK ORDER BY Z_PK") == before)
    }

    @Test("bytes that are no database are refused, and nothing is left at the target")
    func nothing() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("noise.sqlite")
        var generator = SystemRandomNumberGenerator()
        try Data((0..<40_960).map { _ in UInt8.random(in: 0...255, using: &generator) })
            .write(to: URL(fileURLWithPath: path))
        // As every other command calls them.
        expectStoreError(.encrypted) {
            _ = try StoreSalvage.salvage(path, to: folder.file("out.db"), model: Museum.model)
        }
        // A text that is longer than a page is taken for no page either.
        try Data(String(repeating: "\r\n a line of a letter\n", count: 4_000).utf8).write(
            to: URL(fileURLWithPath: path))
        expectStoreError(.notADatabase) { _ = try StoreSalvage.salvage(path, to: folder.file("out.db")) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["noise.sqlite"])
    }
}
