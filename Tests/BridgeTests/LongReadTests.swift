import Bridge
import Foundation
import LegacyStack
import SQLite
import StoreFormat
import Synchronization
import TestKit
import Testing

/// What looks at all of a running store takes longer than a reader may get old, and yet neither is ended nor holds the log.
@Suite struct LongReadTests {
    private let sample: BridgeSample
    private let bridge: StoreBridge
    private let clock = StandingClock()

    init() throws {
        sample = try BridgeSample()
        bridge = try sample.open(by: clock)
        _ = try bridge.legacy.save(
            ObjectBatch(
                (1...1_200).map { i in
                    .insert(entity: "Tag", name: "\(i)", values: ["name": .attribute(.string("\(i)"))])
                }))
        try bridge.replay()
    }

    /// A minute passes, somebody saves, and the log is moved whole: nobody is in the way.
    private func minutePasses(_ turn: Int) {
        clock.move(61)
        #expect(throws: Never.self) {
            try bridge.legacy.insert("Shelf", ["label": .string("\(turn)")])
            #expect(try bridge.checkpoint().isComplete, "after \(turn)")
        }
    }

    @Test func aVerificationGoesOnAndTheLogIsMovedBetweenItsSubjects() throws {
        defer { bridge.close() }
        try bridge.legacy.update(ObjectReference(entity: "Tag", key: 1), ["name": .string("new")])
        var turns = 0
        let found = try bridge.verify { done, _ in
            minutePasses(done)
            turns += 1
        }
        #expect(found == [])
        #expect(turns > 10)
        #expect(bridge.readerAge.ended == 0)
    }

    @Test func aVerificationFindsWhatIsWrongAllTheSame() throws {
        defer { bridge.close() }
        try GuardTriggersOff.run(sample, "UPDATE ZTAG SET Z_OPT = NULL WHERE Z_PK = 700")
        #expect(try bridge.verify { done, _ in minutePasses(done) }.map(\.place).contains { $0.hasPrefix("ZTAG 700") })
    }

    @Test func aComparisonGoesOnAndTheLogIsMovedBetweenItsBatches() throws {
        defer { bridge.close() }
        var turns = 0
        let result = try bridge.compare("Tag") { _ in
            minutePasses(turns)
            turns += 1
        }
        #expect(result.rows == 1_200 && result.differing == 0)
        #expect(turns >= 3)
        #expect(bridge.readerAge.ended == 0)
    }

    /// A copy is of one moment, so it keeps its snapshot, and no age ends it.
    @Test func aBackupIsNotEndedByItsAge() throws {
        defer { bridge.close() }
        // A copy is made 512 pages at a time: this one takes two steps.
        try bridge.legacy.insert("Book", ["thumbnail": .data(Data(count: 3 << 20))])
        let copy = sample.folder.file("copy.sqlite")
        let turns = Mutex(0)
        _ = try StoreBackup.copy(sample.path, to: copy) { [clock, bridge] _, _ in
            guard
                turns.withLock({ turns in
                    turns += 1
                    return turns == 1
                })
            else { return }
            clock.move(61)
            _ = try? bridge.legacy.insert("Shelf", ["label": .string("later")])
        }
        #expect(turns.withLock { $0 } > 0)
        #expect(bridge.readerAge.ended == 0)
        #expect(
            try Programs.sqlite3(copy, "SELECT count(*) FROM ZTAG; SELECT count(*) FROM ZSHELF").output == "1200\n0\n")
    }
}
