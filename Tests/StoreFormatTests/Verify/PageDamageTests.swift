import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// Pages, indexes and the model cache, which no planted SQL alone damages.
@Suite
struct PageDamageTests {
    @Test(
        "a model cache that is gone, empty, broken or of another model is found",
        arguments: [
            ("DROP TABLE Z_MODELCACHE", "the table is missing"), ("DELETE FROM Z_MODELCACHE", "cannot be read"),
            ("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL", "cannot be read"),
            ("UPDATE Z_MODELCACHE SET Z_CONTENT = substr(Z_CONTENT, 1, 100)", "cannot be read"),
        ])
    func modelCache(_ sql: String, _ what: String) throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Museum.plant(sql, in: path)
        let found = try Museum.findings(path, Museum.model)
        #expect(found.map { [$0.rule, $0.place] } == [["model-cache", "Z_MODELCACHE"]])
        #expect(found.first?.what.contains(what) ?? false)
    }

    @Test("an index that lacks a row of its table is found")
    func staleIndex() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        let name = "ZLAMP_Z6LAMPS_INDEX"
        func connect() throws -> Connection {
            let connection = try Connection(path: path, mode: .readWrite)
            try connection.execute("PRAGMA writable_schema = ON")
            return connection
        }
        // While the schema does not tell of the index, the table is written without it.
        let row = try #require(
            try connect().query(
                "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master WHERE name = ?", [.text(name)]
            ).first)
        try connect().run("DELETE FROM sqlite_master WHERE name = ?", [.text(name)])
        try connect().execute("UPDATE ZLAMP SET Z6LAMPS = 1 WHERE Z_PK = 2")
        try connect().run("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", row)
        let found = try Museum.findings(path)
        #expect(found.map(\.rule) == ["sqlite-integrity"])
        #expect(found.first?.what == "row 2 missing from index \(name)")
    }

    @Test("pages that cannot be read are reported, and what is on others is still checked")
    func damagedPages() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Museum.plant("UPDATE ZLAMP SET Z_OPT = 0 WHERE Z_PK = 2", in: path)
        try Pages.overwrite("ZWORK", in: path)
        let found = try Museum.findings(path)
        #expect(found.map { [$0.rule, $0.place] } == [["damaged", "ZWORK"], ["row-version", "ZLAMP 2"]])
    }

    @Test(
        "a damaged page is reported once, with its table",
        arguments: [
            ("ZWORK", "ZWORK"), ("ZWORK_ZROOM_INDEX", "ZWORK"), ("Z_7WORKS", "Z_7WORKS"), ("ZTAG", "ZTAG"),
            ("Z_Tag_UNIQUE_name", "ZTAG"), ("ZPERSON", "ZPERSON"), ("ACHANGE", "ACHANGE"),
            ("ATRANSACTION", "ATRANSACTION"), ("ATRANSACTIONSTRING", "ATRANSACTIONSTRING"), ("ZROOM", "ZROOM"),
            ("COEXIST_HANDOVER", "COEXIST_HANDOVER"),
        ])
    func onePage(_ name: String, _ table: String) throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Pages.overwrite(name, in: path)
        let found = try Museum.findings(path)
        #expect(found.map { [$0.rule, $0.place] } == [["damaged", table]], "\(found)")
        let page = found.first?.what ?? ""
        #expect(page.contains(#/^page \d+/#) && page.contains("of its index \(name)") == (name != table), "\(page)")
    }
}
