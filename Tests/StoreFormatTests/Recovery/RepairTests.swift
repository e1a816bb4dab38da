import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

@Suite
struct RepairTests {
    private static func violations(_ path: String) throws -> [Violation] {
        let store = try Store.open(path)
        return try StoreVerifier.verify(try StoreConnector.offlineReader(path), store: store)
    }

    @Test(
        "counters that are behind and indexes that are missing are mended, and said",
        arguments: [
            ("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Work'", "Z_MAX of Work was 1 and is 3 now"),
            // Tag 3 was deleted: its key is not handed out again.
            ("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Tag'", "Z_MAX of Tag was 1 and is 3 now"),
            ("UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 16002", "Z_MAX of TRANSACTION was 2 and is 4 now"),
            ("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16001", "Z_MAX of CHANGE was 0 and is 14 now"),
            ("DROP INDEX ZWORK_ZMAKER_INDEX", "the index ZWORK_ZMAKER_INDEX was missing and is made anew"),
            ("DROP INDEX Z_Tag_UNIQUE_name", "the index Z_Tag_UNIQUE_name was missing and is made anew"),
            (
                "DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX",
                "the index ACHANGE_ZTRANSACTIONID_INDEX was missing and is made anew"
            ),
        ])
    func mended(_ sql: String, _ sentence: String) throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Museum.plant(sql, in: path)
        #expect(try StoreRepair.repair(try Store.open(path)) == [sentence])
        #expect(try Self.violations(path) == [])
        #expect(try StoreRepair.repair(try Store.open(path)) == [])
    }

    @Test("what rows break is left as it is")
    func left() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Museum.plant(
            "DROP INDEX Z_Tag_UNIQUE_name; UPDATE ZTAG SET ZNAME = 'oil'; UPDATE ZWORK SET ZMAKER = 77", in: path)
        let before = try Self.violations(path)
        #expect(try StoreRepair.repair(try Store.open(path)) == [])
        #expect(try Self.violations(path) == before)
    }

    @Test("the counter of transactions is mended to what was purged")
    func purged() throws {
        let sample = try SampleStore()
        for _ in 1...3 { try sample.insert("Shelf") }
        try sample.adopt()
        let purge = HistoryPurge(sample.connection, store: sample.store)
        while try purge.step(through: 3) {}
        try sample.connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'TRANSACTION'")
        #expect(
            try StoreRepair.repair(try Store.open(sample.path)) == ["Z_MAX of TRANSACTION was 1 and is 3 now"])
    }
}
