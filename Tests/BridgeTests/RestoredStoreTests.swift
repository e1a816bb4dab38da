import Bridge
import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

/// What is proved of a store that was restored from an older backup, and whose tokens it takes.
@Suite struct RestoredStoreTests {
    private let sample: BridgeSample
    private let backup: String

    /// Transactions 1 to 3 are in the backup, 4 to 6 only in the store that it replaced.
    init() throws {
        sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .off }
        for i in 1...3 { try bridge.legacy.insert("Tag", ["name": .string("\(i)")]) }
        backup = sample.folder.file("kept.db")
        try StoreBackup.copy(sample.path, to: backup)
        for i in 4...6 { try bridge.legacy.insert("Tag", ["name": .string("\(i)")]) }
        bridge.close()
        _ = try StoreRestore.restore(backup, to: sample.path)
    }

    private func audit() throws -> AuditReport { try Audit.run(Store.open(sample.path)) }

    @Test func theHistoryThatIsStillThereIsAudited() throws {
        let report = try audit()
        #expect(report.violations == [])
        #expect(report.transactions == 3 && report.start == 0)
        #expect(report.notes.contains { $0.contains("transactions 4 to 6") })
        try sample.foreign("UPDATE COEXIST_TRANSACTION SET STACK = 'model' WHERE NUMBER = 2")
        #expect(try audit().violations.contains { $0.rule == .writer && $0.place == "transaction 2" })
    }

    @Test func onlyTheNumbersThatWerePassedOverMayBeMissing() throws {
        let bridge = try sample.open { $0.guardMode = .off }
        try bridge.legacy.insert("Tag", ["name": .string("7")])
        try bridge.legacy.insert("Tag", ["name": .string("8")])
        bridge.close()
        #expect(try audit().violations == [])
        try sample.foreign(
            "DELETE FROM ATRANSACTION WHERE Z_PK IN (3, 7); DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (3, 7)")
        let gaps = try audit().violations.filter { $0.what.hasSuffix("missing from history") }
        #expect(gaps.map(\.what) == ["transaction 3 is missing from history", "transaction 7 is missing from history"])
    }

    private func timeline() throws -> Int64 {
        try #require(try sample.rows("SELECT TIMELINE FROM COEXIST_STATE").first?[0].integerValue)
    }

    @Test func noTimelineIsUsedTwice() throws {
        var seen: Set<Int64> = [1, try timeline()]
        #expect(seen == [1, 2])
        _ = try Release.release(sample.path)
        try sample.open().close()
        #expect(seen.insert(try timeline()).inserted)
        // An adopted backup in the place of a store that was released.
        _ = try Release.release(sample.path)
        _ = try StoreRestore.restore(backup, to: sample.path)
        #expect(seen.insert(try timeline()).inserted)
    }
}
