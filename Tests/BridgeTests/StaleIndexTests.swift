import Bridge
import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

/// Indexes that disagree with their tables, though every page is sound: a read that goes by one is wrong, and nothing tells
/// but a check of indexes.
@Suite struct StaleIndexTests {
    /// A store of tags and shelves whose rows somebody changed behind the indexes.
    private static func stale() throws -> BridgeSample {
        let sample = try BridgeSample()
        let layout = try Store.open(sample.path).layout
        let (tag, book) = (try layout.entity("Tag").number, try layout.entity("Book").number)
        let numbers = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
        try sample.foreign(
            """
            \(numbers) INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, \(tag), 1, 'tag ' || i FROM n;
            \(numbers) INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZPAGES) SELECT i, \(book), 1, 7 FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 300 WHERE Z_NAME IN ('Tag', 'Book')
            """)
        // The indexes leave the list of tables, and come back with what they had.
        let list = "type = 'index' AND sql IS NOT NULL AND tbl_name IN ('ZTAG', 'ZBOOK')"
        let indexes = try sample.rows("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master WHERE \(list)")
        try sample.foreign("PRAGMA writable_schema=ON; DELETE FROM sqlite_master WHERE \(list)")
        try sample.foreign("UPDATE ZTAG SET ZNAME = 'other ' || Z_PK; UPDATE ZBOOK SET ZSHELF = NULL, ZAUTHOR = 5")
        do {
            let connection = try Connection(path: sample.path, mode: .readWrite)
            try connection.execute("PRAGMA writable_schema=ON")
            for row in indexes { try connection.run("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", row) }
            _ = try connection.checkpoint(.truncate)
        }
        return sample
    }

    @Test func adoptionDoctorBackupAndVerifyTell() throws {
        let sample = try Self.stale()
        #expect(try StoreHealth.examine(sample.path, checksIndexes: false) == nil)
        let problem = try #require(try StoreHealth.examine(sample.path, checksIndexes: true))
        #expect(problem.code == .damaged && problem.way.contains("verify \(sample.path) --repair"))

        let bridge = try sample.open()
        #expect(bridge.problem?.code == .damaged && bridge.adoptionBackup == nil)
        #expect(throws: StoreError.self) { try bridge.legacy.insert("Tag", ["name": .string("new")]) }
        bridge.close()

        let doctor = try Programs.ctl("doctor", sample.path)
        #expect(doctor.exitCode == 1 && doctor.output.contains("missing from index"), "\(doctor.output)")
        let backup = try Programs.ctl("backup", sample.path, sample.folder.file("copy.backup"))
        #expect(backup.exitCode == 1 && backup.errors.contains("missing from index"), "\(backup.errors)")
        #expect(try Programs.ctl("verify", sample.path).output.contains("missing from index"))
    }

    /// There are more wrong entries than one check lists.
    @Test func repairFillsEveryIndexAnew() throws {
        let sample = try Self.stale()
        let result = try Programs.ctl("verify", sample.path, "--repair")
        #expect(result.output.contains("Z_Tag_UNIQUE_name did not agree"), "\(result.output)")
        #expect(result.output.contains("ZBOOK_ZAUTHOR_INDEX did not agree"), "\(result.output)")
        #expect(try StoreHealth.examine(sample.path, checksIndexes: true) == nil)
        let bridge = try sample.open()
        defer { bridge.close() }
        #expect(bridge.problem == nil)
        for stack in StackName.allCases {
            let found = try bridge.instance(stack).references(
                matching: ObjectQuery(entity: "Tag", predicate: .parse("name == 'other 9'")))
            #expect(found.map(\.key) == [9])
        }
    }

    /// Where an index's page makes no sense, SQLite says so, and both stacks say it in one way.
    @Test func ofADamagedIndexPageBothStacksThrowTheSame() throws {
        let sample = try Self.stale()
        let pages = try sample.rows("SELECT pageno FROM dbstat WHERE name = 'Z_Tag_UNIQUE_name'").compactMap {
            $0[0].integerValue
        }
        let file = try #require(FileHandle(forUpdatingAtPath: sample.path))
        for page in pages {
            try file.seek(toOffset: UInt64(page - 1) * 4096)
            try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        }
        try file.close()
        let bridge = try sample.open()
        defer { bridge.close() }
        for text in ["name == 'tag 9'", "name IN {'tag 9', 'tag 10'}", "name == 'tag 9' AND books.@count == 0"] {
            let query = ObjectQuery(entity: "Tag", predicate: try .parse(text))
            for stack in StackName.allCases {
                let calls: [() throws -> Void] = [
                    { _ = try bridge.instance(stack).references(matching: query) },
                    { _ = try bridge.instance(stack).count(of: query) },
                    { _ = try bridge.instance(stack).objects(matching: query) },
                ]
                for call in calls {
                    let error = #expect(throws: StoreError.self) { try call() }
                    #expect(error?.code == .damaged, "\(text), \(stack)")
                }
            }
        }
        // What does not need the index can be read.
        for stack in StackName.allCases {
            #expect(try bridge.instance(stack).count(of: ObjectQuery(entity: "Book")) == 300)
        }
    }
}
