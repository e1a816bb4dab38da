import Bridge
import Foundation
import StoreFormat
import TestKit
import Testing

@Suite struct AdoptionTests {
    @Test func theBackupReadsAsTheStoreDidBefore() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        let backup = try #require(bridge.adoptionBackup)
        bridge.close()
        let store = try Store.open(backup)
        #expect(store.uuid == bridge.store.uuid)
        #expect(
            try Programs.sqlite3(backup, "SELECT count(*) FROM sqlite_master WHERE name LIKE 'COEXIST%'").output
                == "0\n")
        #expect(try Programs.sqlite3(backup, "PRAGMA integrity_check").output == "ok\n")
    }

    @Test func aRollbackJournalStoreBecomesWALAndGoesBackAtRelease() throws {
        let sample = try BridgeSample(journalMode: "delete")
        #expect(try Programs.sqlite3(sample.path, "PRAGMA journal_mode").output == "delete\n")
        let bridge = try sample.open()
        #expect(try Programs.sqlite3(sample.path, "PRAGMA journal_mode").output == "wal\n")
        bridge.close()
        let report = try Release.release(sample.path)
        #expect(report.wasAdopted && report.journalMode == "delete")
        #expect(try Programs.sqlite3(sample.path, "PRAGMA journal_mode").output == "delete\n")
    }

    @Test func aStoreThatWasNeverTrackedGetsHistoryAndLosesItAtRelease() throws {
        let sample = try BridgeSample(isTracked: false)
        let bridge = try sample.open()
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        #expect(try bridge.extent().last == 1)
        bridge.close()
        #expect(try Release.release(sample.path).removedHistory)
        #expect(try sample.rows("SELECT name FROM sqlite_master WHERE name LIKE 'ATRANS%' OR name = 'ACHANGE'").isEmpty)
        #expect(try sample.rows("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT > 16000").isEmpty)
        #expect(try sample.rows("SELECT ZNAME FROM ZTAG") == [[.text("a")]])
    }

    /// The check passes over young files where others may be about to name them; what was left behind shortly before an
    /// adoption must not be taken for something new later.
    @Test func aYoungFileThatNoRowNamesIsInheritedToo() throws {
        let sample = try BridgeSample()
        let folder = try Store.open(sample.path).externalData.folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let name = "0B8C6F2E-1111-4222-8333-444455556666"
        try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        let bridge = try sample.open()
        defer { bridge.close() }
        func found() throws -> [Violation] { try bridge.read { try StoreVerifier.verify($0, store: bridge.store) } }
        #expect(try found().map(\.rule) == ["external-young"])
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: "\(folder)/\(name)")
        #expect(try found().map { [$0.rule, $0.place, "\($0.severity)"] } == [["external-orphan", name, "inherited"]])
    }

    @Test func noTokenComesTwiceWhenHistoryThatAReleaseRemovedBeginsAgain() throws {
        let sample = try BridgeSample(isTracked: false)
        var timelines: Set<Int64> = []
        var numbers: [Int64] = []
        for round in 1...3 {
            let bridge = try sample.open()
            try bridge.legacy.insert("Tag", ["name": .string("a\(round)")])
            numbers.append(try bridge.extent().last)
            bridge.close()
            let timeline = try #require(try sample.rows("SELECT TIMELINE FROM COEXIST_STATE").first?[0].integerValue)
            timelines.insert(timeline)
            _ = try Release.release(sample.path)
        }
        #expect(numbers == [1, 1, 1])
        #expect(timelines.count == 3)
    }

    @Test func numbersOfHistoryThatWasThereGoOnAfterAReleaseAndAPurge() throws {
        let sample = try BridgeSample()
        for round in 1...3 {
            let bridge = try sample.open()
            try bridge.legacy.insert("Tag", ["name": .string("a\(round)")])
            #expect(try bridge.extent().last == Int64(round))
            bridge.close()
            let writer = try StoreConnector.connect(sample.path, .writer(.full))
            let purge = HistoryPurge(writer, store: try Store.open(sample.path))
            let plan = try purge.plan(.through(99))
            #expect(plan.transactions == 1 && plan.last == Int64(round))
            while try purge.step(through: plan.last) {}
            _ = try Release.release(sample.path)
        }
    }

    @Test func historyThatAdoptionMadeStaysWhereAsked() throws {
        let sample = try BridgeSample(isTracked: false)
        let bridge = try sample.open()
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        bridge.close()
        #expect(try !Release.release(sample.path, keepsHistory: true).removedHistory)
        #expect(try sample.rows("SELECT count(*) FROM ATRANSACTION") == [[.integer(1)]])
    }

    @Test func aFailedAdoptionLeavesTheStoreAsItWas() throws {
        let sample = try BridgeSample()
        let before = try FileImage.of(sample.folder.path)
        for seed in [
            OwnershipSeed(entities: ["Bok": .model]), OwnershipSeed(entities: ["Member": .model, "Card": .legacy]),
            OwnershipSeed(relationships: ["Book.author": .model]), OwnershipSeed(relationships: ["Book.tags": .model]),
        ] {
            #expect(throws: StoreError.self) { try sample.open { $0.seed = seed } }
        }
        #expect(try FileImage.of(sample.folder.path) == before)
    }

    @Test func oneToOnePairsAndInheritanceTreesAreOneUnit() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.seed = OwnershipSeed(entities: ["Card": .model]) }
        defer { bridge.close() }
        let unit = try bridge.unit(of: "Author")
        // Card and Member hold each other's keys; Member's table is Person's.
        #expect(unit.entities == ["Author", "Card", "Member", "Person"])
        #expect(unit.owner == .model)
        #expect(try bridge.unit(of: "Book").entities == ["Book"])
        #expect(try bridge.unit(of: "Book").owner == .legacy)
    }

    @Test func anAdoptedStoreIsNotAdoptedAgain() throws {
        let sample = try BridgeSample()
        let first = try sample.open { $0.seed = OwnershipSeed(defaultOwner: .model) }
        first.close()
        let second = try sample.open { $0.seed = OwnershipSeed(entities: ["Tag": .legacy]) }
        defer { second.close() }
        #expect(second.adoptionBackup == nil)
        #expect(try second.unit(of: "Tag").owner == .model)
        #expect(second.warnings.contains { $0.contains("Tag") && $0.contains("register") })
    }

    @Test func twoDoNotAdoptTheSameStore() throws {
        let sample = try BridgeSample()
        // Opened before the other adopts it.
        let store = try Store.open(sample.path)
        try sample.open().close()
        let names = try FileManager.default.contentsOfDirectory(atPath: sample.folder.path).sorted()
        let error = #expect(throws: StoreError.self) { try Adoption.adopt(store, plan: Adoption.Plan()) }
        #expect(error?.code == .alreadyExists)
        #expect(try FileManager.default.contentsOfDirectory(atPath: sample.folder.path).sorted() == names)
    }
}
