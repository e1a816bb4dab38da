import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// Pages that have got into each other's places: a salvage gives what a plain read gives, and what that does not come to.
@Suite struct SwappedPagesTests {
    private static let count = 1_000

    /// Books and tags with many pages each, and pairs of them.
    private static func filled(_ folder: TemporaryFolder) throws -> String {
        let path = folder.file("books.sqlite")
        try StoreCreator.create(path, model: SampleModels.library)
        let numbers = try Store.open(path).layout
        let (book, tag) = (try numbers.entity("Book").number, try numbers.entity("Tag").number)
        let connection = try Connection(path: path, mode: .readWrite)
        let all = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
        try connection.execute(
            """
            \(all) INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZPAGES, ZRATING)
                SELECT i, \(book), 1 + i % 3, 'book ' || i || printf('%.60c', 'x'), i % 300, i / 4.0 FROM n;
            \(all) INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME)
                SELECT i, \(tag), 1, 'tag ' || i || printf('%.80c', 'y') FROM n;
            \(all) INSERT INTO Z_\(book)TAGS SELECT i, i FROM n;
            \(all) INSERT INTO Z_\(book)TAGS SELECT i, i % \(count) + 1 FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(count) WHERE Z_NAME IN ('Book', 'Tag');
            """)
        _ = try connection.checkpoint(.truncate)
        return path
    }

    private static let tables = ["ZBOOK", "ZTAG", "Z_2TAGS"]

    private func rows(_ path: String) throws -> [[[SQLValue]]] {
        let connection = try StoreConnector.offlineReader(path)
        return try Self.tables.map { table in
            let name = table == "Z_2TAGS" ? try Self.pairs(connection) : table
            return try connection.query("SELECT * FROM \(name) ORDER BY 1, 2")
        }
    }

    private static func pairs(_ connection: Connection) throws -> String {
        try connection.scalar("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*TAGS'")?
            .textValue ?? ""
    }

    /// The page of a table: its root, or a leaf.
    private func page(_ table: String, _ leaf: Int?, _ path: String) throws -> Int {
        let connection = try StoreConnector.offlineReader(path)
        let name = table == "Z_2TAGS" ? try Self.pairs(connection) : table
        let sql =
            leaf.map {
                "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET \($0)"
            }
            ?? "SELECT rootpage FROM sqlite_master WHERE name = ?"
        return Int(try #require(try connection.scalar(sql, [.text(name)])?.integerValue))
    }

    struct Swap: Sendable, CustomTestStringConvertible {
        let a: (table: String, leaf: Int?)
        let b: (table: String, leaf: Int?)

        var testDescription: String { "\(a) and \(b)" }
    }

    static let swaps = [
        Swap(a: ("ZBOOK", 2), b: ("ZBOOK", 5)), Swap(a: ("ZBOOK", 0), b: ("ZBOOK", 9)),
        Swap(a: ("ZBOOK", 2), b: ("ZTAG", 5)), Swap(a: ("ZBOOK", 3), b: ("ZTAG", 3)),
        Swap(a: ("ZBOOK", nil), b: ("ZTAG", nil)), Swap(a: ("ZBOOK", nil), b: ("ZBOOK", 4)),
        Swap(a: ("Z_2TAGS", 0), b: ("Z_2TAGS", 2)), Swap(a: ("Z_2TAGS", 1), b: ("ZBOOK", 3)),
    ]

    @Test(arguments: swaps)
    func everyRowIsSalvagedOnce(swap: Swap) throws {
        let folder = try TemporaryFolder()
        let path = try Self.filled(folder)
        let before = try rows(path)
        try Pages.swap(
            try page(swap.a.table, swap.a.leaf, path), try page(swap.b.table, swap.b.leaf, path), in: path)
        let out = folder.file("out.sqlite")
        let report = try StoreSalvage.salvage(path, to: out)
        #expect(try rows(out) == before)
        #expect(report.entities.filter { $0.lost != 0 } == [], "\(report.notes)")
        #expect(report.joins.map(\.lost) == [0])
        #expect(report.links == 0)
        #expect(report.remaining == [] && report.mended == [])
        let hasStrays = swap.a.table != swap.b.table || swap.a.leaf == nil
        #expect(report.notes.contains { $0.contains("page by page") } == hasStrays, "\(report.notes)")
    }

    @Test func besideAPageThatIsGoneTheOthersAreSalvaged() throws {
        let folder = try TemporaryFolder()
        let path = try Self.filled(folder)
        let before = try rows(path)
        try Pages.swap(try page("ZBOOK", 6, path), try page("ZBOOK", 9, path), in: path)
        try Pages.overwrite("ZBOOK", leaf: 3, in: path)
        let out = folder.file("out.sqlite")
        let report = try StoreSalvage.salvage(path, to: out)
        let books = try #require(report.entities.first { $0.name == "Book" })
        let lost = try #require(books.lost)
        #expect(lost > 10 && lost < 100 && books.read == Int64(Self.count) - lost)
        #expect(try Set(rows(out)[0]).isSubset(of: Set(before[0])))
        #expect(report.remaining == [])
    }

    /// A row that is there twice, with two values: SQLite's is kept, and the key of the other is told.
    @Test func ofTwoRowsOfOneKeyTheOneThatSQLiteFindsIsKept() throws {
        let folder = try TemporaryFolder()
        let path = try Self.filled(folder)
        let (a, b) = (try page("ZTAG", 3, path), try page("ZTAG", 4, path))
        let file = try #require(FileManager.default.contents(atPath: path))
        var copy = [UInt8](file[(a - 1) * 4096..<a * 4096])
        let name = Array("tag ".utf8)
        for i in copy.indices.dropLast(4) where Array(copy[i..<i + 4]) == name { copy[i] = UInt8(ascii: "T") }
        // The tree's second page now holds what the first has, changed; a page that nothing leads to holds it too.
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try handle.seek(toOffset: UInt64((b - 1) * 4096))
        try handle.write(contentsOf: Data(copy))
        try handle.close()
        let out = folder.file("out.sqlite")
        let report = try StoreSalvage.salvage(path, to: out)
        #expect(report.notes.contains { $0.contains("twice with different values") }, "\(report.notes)")
        let connection = try StoreConnector.offlineReader(out)
        #expect(try connection.scalar("SELECT count(*) FROM ZTAG WHERE ZNAME GLOB 'T*'") == 0)
        #expect(try connection.scalar("SELECT count(DISTINCT Z_PK) - count(*) FROM ZTAG") == 0)
    }

    /// What `verify` still finds in the new store is told with it.
    @Test func whatIsWrongInTheNewStoreIsTold() throws {
        let folder = try TemporaryFolder()
        let path = try Self.filled(folder)
        _ = try Programs.sqlite3(
            path, "UPDATE ZBOOK SET ZPAGES = 70000 WHERE Z_PK = 7; DELETE FROM ZTAG WHERE Z_PK = 9")
        let out = folder.file("out.sqlite")
        let report = try StoreSalvage.salvage(path, to: out)
        #expect(report.remaining.map(\.place) == ["ZBOOK 7.pages"])
        #expect(!report.isSound)
        let result = try Programs.ctl("salvage", path, folder.file("again.sqlite"))
        #expect(result.exitCode == 1)
        #expect(result.output.contains("ZBOOK 7.pages"), "\(result.output)")
    }
}
