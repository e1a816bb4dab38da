import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

@Suite
struct SalvageTests {
    /// Two entities without a relationship, of which one has many pages.
    private static let model: ModelDescription = {
        var cache = EntityDescription(name: "Cache")
        cache.attributes = [AttributeDescription(name: "text", type: .string, isOptional: true)]
        var pending = EntityDescription(name: "Pending")
        pending.attributes = [AttributeDescription(name: "edit", type: .string, isOptional: true)]
        return ModelDescription(entities: [cache, pending])
    }()

    private static func filled(_ folder: TemporaryFolder, rows: Int = 500) throws -> String {
        let path = folder.file("edits.sqlite")
        let writer = try StoreWriter(store: try StoreCreator.create(path, model: model))
        _ = try writer.save(SampleStore.authority, TransactionIdentity()) { save in
            for i in 1...rows {
                try SampleStore.insert("Cache", ["text": .string(String(repeating: "x", count: 100))], in: save)
                if i <= 20 { try SampleStore.insert("Pending", ["edit": .string("edit \(i)")], in: save) }
            }
        }
        _ = try writer.connection.checkpoint(.truncate)
        return path
    }

    private func rows(_ path: String, _ sql: String) throws -> [[SQLValue]] {
        try StoreConnector.offlineReader(path).query(sql)
    }

    @Test("of a table whose root page is damaged every row is found page by page; the damaged file stays as it is")
    func oneTable() throws {
        let folder = try TemporaryFolder()
        let path = try Self.filled(folder)
        try Pages.overwrite("ZCACHE", in: path)
        let before = try FolderContents(folder.path)
        let report = try StoreSalvage.salvage(path, to: folder.file("out.sqlite"))
        #expect(
            report.entities == [
                .init(name: "Cache", read: 500, lost: 0), .init(name: "Pending", read: 20, lost: 0),
            ])
        #expect(report.notes.contains { $0.hasPrefix("500 rows of ZCACHE") })
        #expect(
            try rows(folder.file("out.sqlite"), "SELECT ZEDIT FROM ZPENDING ORDER BY Z_PK")
                == (1...20).map { [.text("edit \($0)")] })
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: folder.file("out.sqlite" + suffix))
        }
        #expect(try FolderContents(folder.path).files == before.files)
    }

    @Test("around a damaged page the other rows of its table are read, with keys and versions")
    func onePage() throws {
        let folder = try TemporaryFolder()
        let path = try Self.filled(folder)
        let keys = try rows(path, "SELECT Z_PK FROM ZCACHE").count
        try Pages.overwrite("ZCACHE", leaf: 3, in: path)
        let out = folder.file("out.sqlite")
        let report = try StoreSalvage.salvage(path, to: out)
        let read = report.entities[0].read
        #expect(read > 400 && read < Int64(keys))
        #expect(report.entities[0].lost == Int64(keys) - read)
        let found = try rows(out, "SELECT Z_PK, Z_OPT, length(ZTEXT) FROM ZCACHE ORDER BY Z_PK")
        #expect(found.first == [1, 1, 100])
        #expect(found.last == [500, 1, 100])
        let store = try Store.open(out)
        #expect(try StoreVerifier.verify(try StoreConnector.offlineReader(out), store: store) == [])
        #expect(try rows(out, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Cache'") == [[500]])
    }

    @Test("a sound store is salvaged whole: same rows, keys, links, files and identity")
    func sound() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        let out = folder.file("out.db")
        let report = try StoreSalvage.salvage(path, to: out)
        #expect(report.isComplete)
        #expect(report.notes == [])
        let (a, b) = (try Store.open(path), try Store.open(out))
        #expect(a.uuid == b.uuid)
        #expect(try StoreVerifier.verify(try StoreConnector.offlineReader(out), store: b) == [])
        for table in a.layout.roots.map(\.table) + ["Z_7WORKS", "Z_8RELATED"] {
            let sql = "SELECT * FROM \(table) ORDER BY 1, 2"
            #expect(try rows(path, sql) == rows(out, sql))
        }
        // History stays behind, and its numbers are not handed out again.
        #expect(
            try HistoryReader(try StoreConnector.offlineReader(out), store: b).extent()
                == .init(first: nil, last: 4, count: 0))
    }

    @Test("keys of lost rows and pairs with them are cleared, so that the new store is sound")
    func links() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Pages.overwrite("ZROOM", in: path)
        try Pages.overwrite("ZTAG", in: path)
        let out = folder.file("out.db")
        let report = try StoreSalvage.salvage(path, to: out)
        #expect(report.entities.filter { $0.lost != 0 }.map(\.name) == ["Room", "Tag"])
        // Two works and a lamp led to the room, two pairs to tags.
        #expect(report.links == 5)
        #expect(try rows(out, "SELECT count(*), count(ZROOM), count(Z_FOK_ROOM) FROM ZWORK") == [[3, 0, 0]])
        let store = try Store.open(out)
        #expect(try StoreVerifier.verify(try StoreConnector.offlineReader(out), store: store) == [])
    }

    @Test("an object whose mandatory relationship led to a lost row stays, and is named by the report and by verify")
    func mandatory() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Pages.overwrite("ZWORK", in: path)
        let out = folder.file("out.db")
        let report = try StoreSalvage.salvage(path, to: out)
        #expect(report.unsavable == [.init(entity: "Frame", key: 1, property: "work")])
        #expect(report.unsavableCount == 1)
        let store = try Store.open(out)
        let found = try StoreVerifier.verify(try StoreConnector.offlineReader(out), store: store)
        #expect(found.map { [$0.rule, $0.place] } == [["relationship-mandatory", "ZFRAME 1.work"]])
    }

    @Test("an object whose mandatory value is lost stays, and is named")
    func mandatoryValue() throws {
        let folder = try TemporaryFolder()
        let path = try Self.filled(folder, rows: 3)
        try Museum.plant("UPDATE ZCACHE SET ZTEXT = NULL WHERE Z_PK = 2", in: path)
        var model = Self.model
        model.entities[0].attributes[0].isOptional = false
        let report = try StoreSalvage.salvage(path, to: folder.file("out.sqlite"), model: model)
        #expect(report.unsavable == [.init(entity: "Cache", key: 2, property: "text")])
    }

    @Test("a join table that cannot be read is lost with its pairs, and counted by its index")
    func joinTable() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Pages.overwrite("Z_7WORKS", in: path)
        let out = folder.file("out.db")
        let report = try StoreSalvage.salvage(path, to: out)
        #expect(
            report.joins == [.init(name: "Z_7WORKS", read: 0, lost: 2), .init(name: "Z_8RELATED", read: 2, lost: 0)])
        #expect(report.entities.allSatisfy { $0.lost == 0 })
        let store = try Store.open(out)
        #expect(try StoreVerifier.verify(try StoreConnector.offlineReader(out), store: store) == [])
    }

    @Test("a file that is cut short is read as far as it goes")
    func cutShort() throws {
        let folder = try TemporaryFolder()
        let path = try Self.filled(folder, rows: 5_000)
        let size = try #require(FileManager.default.contents(atPath: path)?.count)
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.truncate(atOffset: UInt64(size * 2 / 3 / 4096 * 4096))
        try file.close()
        expectStoreError(.damaged) { _ = try Store.open(path) }
        let report = try StoreSalvage.salvage(path, to: folder.file("out.sqlite"))
        #expect(report.entities[1] == .init(name: "Pending", read: 20, lost: 0))
        #expect(report.entities[0].read > 1_000)
    }

    private func cut(_ path: String, to pages: Int) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.truncate(atOffset: UInt64(pages * 4096))
        try file.close()
    }

    @Test("wherever a file is cut, the report says so, and calls nothing whole that is not")
    func cutAnywhere() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        let names = ["Frame": 1, "Lamp": 2, "Artist": 4, "Guide": 5, "Room": 6, "Tag": 7, "Work": 8]
        var counts: [String: Int64] = ["Person": 0]
        for (name, number) in names {
            let table = "Z" + (["Artist", "Guide"].contains(name) ? "Person" : name).uppercased()
            counts[name] = try rows(path, "SELECT count(*) FROM \(table) WHERE Z_ENT = \(number)")[0][0].integerValue
        }
        let pages = try #require(FileManager.default.contents(atPath: path)?.count) / 4096
        var isUnknown: Set<String> = []
        for kept in Set(stride(from: 2, to: pages, by: 5) + [pages - 1]).sorted() {
            let damaged = folder.file("cut\(kept).sqlite")
            try FileManager.default.copyItem(atPath: path, toPath: damaged)
            try cut(damaged, to: kept)
            let report: StoreSalvage.Report
            do {
                report = try StoreSalvage.salvage(damaged, to: folder.file("out\(kept).db"), model: Museum.model)
            } catch let error as StoreError where error.code == .damaged && kept < pages / 2 {
                // Nothing is left.
                continue
            }
            #expect(!report.isComplete)
            #expect(report.notes.contains { $0.hasPrefix("the file is cut short: \(pages - kept) page") })
            for part in report.entities {
                guard let lost = part.lost else {
                    isUnknown.insert(part.name)
                    continue
                }
                let count = try #require(counts[part.name])
                #expect(part.read + lost <= count && (lost > 0 || part.read == count), "\(kept): \(part)")
            }
        }
        #expect(isUnknown.contains("Work"), "some cut must take the list of tables with it")
    }

    @Test("pages that the log still has are not missing; those that neither has are")
    func cutBesideALog() throws {
        let folder = try TemporaryFolder()
        let path = try Self.filled(folder)
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.setCheckpointsOnClose(false)
        try connection.execute("UPDATE ZCACHE SET ZTEXT = ZTEXT || 'y'; UPDATE ZPENDING SET ZEDIT = ZEDIT || 'y'")
        let (whole, short) = (folder.file("whole.sqlite"), folder.file("short.sqlite"))
        for copy in [whole, short] {
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
            }
        }
        let last = try #require(
            try connection.scalar("SELECT max(pageno) FROM dbstat WHERE name = 'ZCACHE'")?.integerValue)
        let pages = try #require(try connection.scalar("PRAGMA page_count")?.integerValue)
        // The log has this page and those behind it, if they are the table's.
        try cut(whole, to: Int(last) - 1)
        try #require(last == pages, "the file must end with a page that the update changed")
        #expect(try StoreSalvage.salvage(whole, to: folder.file("whole.db")).isComplete)
        try cut(short, to: 3)
        let report = try StoreSalvage.salvage(short, to: folder.file("short.db"), model: Self.model)
        #expect(!report.isComplete)
        #expect(report.notes.contains { $0.hasPrefix("the file is cut short") })
    }

    @Test("with the metadata or the catalogue lost, not all is there", arguments: ["Z_METADATA", "Z_PRIMARYKEY"])
    func bookkeeping(table: String) throws {
        let folder = try TemporaryFolder()
        let path = try Self.filled(folder)
        try Pages.overwrite(table, in: path)
        let report = try StoreSalvage.salvage(path, to: folder.file("out.sqlite"), model: Self.model)
        #expect(report.notes.contains { $0.hasPrefix("\(table) cannot be read") })
        #expect(report.entities.map(\.read) == [500, 20])
        #expect(!report.isComplete)
    }

    @Test("without a model that can be read, one is asked for; with it, the rows are read")
    func model() throws {
        let folder = try TemporaryFolder()
        let path = try Self.filled(folder)
        try Museum.plant("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'", in: path)
        expectStoreError(.modelUnreadable) { _ = try StoreSalvage.salvage(path, to: folder.file("out.sqlite")) }
        #expect(!FileManager.default.fileExists(atPath: folder.file("out.sqlite")))
        let report = try StoreSalvage.salvage(path, to: folder.file("out.sqlite"), model: Self.model)
        #expect(report.isComplete)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).contains { $0.contains("salvage") }
                == false)
    }

    @Test("what lies at the target stays, and a store in use is not read")
    func refused() throws {
        let folder = try TemporaryFolder()
        let path = try Self.filled(folder)
        expectStoreError(.alreadyExists) { _ = try StoreSalvage.salvage(path, to: path) }
        expectStoreError(.notFound) { _ = try StoreSalvage.salvage(folder.file("none"), to: folder.file("out")) }
    }
}
