import Bridge
import Foundation
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// Another program puts an older backup into the file while both stacks have it open: history goes back, and its numbers are
/// handed out again.
@Suite struct RewoundHistoryTests {
    private let sample: BridgeSample
    private let bridge: StoreBridge
    private let tag: ObjectReference
    private let backup: String

    /// Tag/1 is `a` in the backup, at transaction 1, and `c` in the store, at transaction 3.
    init() throws {
        sample = try BridgeSample()
        bridge = try sample.open()
        tag = try bridge.legacy.insert("Tag", ["name": .string("a")])
        backup = sample.folder.file("backup.sqlite")
        #expect(try Programs.sqlite3(sample.path, ".backup '\(backup)'").exitCode == 0)
        for name in ["b", "c"] { try bridge.legacy.update(tag, ["name": .string(name)]) }
        try bridge.replay()
        for stack in StackName.allCases { #expect(try bridge.instance(stack).value(tag, "name") == .string("c")) }
    }

    private func putBack() throws {
        #expect(try Programs.sqlite3(sample.path, ".restore '\(backup)'").exitCode == 0)
    }

    private func names() throws -> [AttributeValue?] {
        try StackName.allCases.map { try bridge.instance($0).value(tag, "name") }
    }

    @Test func bothStacksGoBackAndNewTransactionsWithOldNumbersAreReplayed() throws {
        defer { bridge.close() }
        try putBack()
        // Without waiting for anybody who watches.
        #expect(try bridge.replay() == [.legacy: 1, .model: 1])
        #expect(try names() == [.string("a"), .string("a")])
        #expect(try bridge.legacy.update(tag, ["name": .string("d")]).transaction == 2)
        #expect(try bridge.replay(to: 2) == [.legacy: 2, .model: 2])
        #expect(try names() == [.string("d"), .string("d")])
        #expect(eventually { !bridge.alarms.isEmpty })
        bridge.close()
    }

    @Test func theWatcherNoticesItAndSaysSo() throws {
        defer { bridge.close() }
        try putBack()
        #expect(eventually { bridge.counts.rewinds == 1 })
        #expect(eventually { bridge.legacy.position == 1 && bridge.model.position == 1 })
        #expect(try names() == [.string("a"), .string("a")])
        #expect(bridge.alarms.contains { $0.contains("ended at transaction 3") && $0.contains("ends at 1") })
    }

    /// By the time of the look the numbers can be as high as before: that the count of our commits or the last transaction
    /// is another one tells it.
    @Test func aNewHistoryThatIsAsLongAsTheOldOneIsNotTakenForIt() throws {
        defer { bridge.close() }
        try putBack()
        let other = try LegacyInstance(path: sample.path)
        defer { other.close() }
        for name in ["x", "y", "z"] { try other.update(tag, ["name": .string(name)]) }
        let isKnown = eventually { (try? names()) == [.string("z"), .string("z")] }
        #expect(isKnown)
        #expect(eventually { bridge.legacy.position == 4 && bridge.model.position == 4 })
        #expect(eventually { !bridge.alarms.isEmpty })
    }

    @Test func anInstanceThatFollowsGoesBackToo() throws {
        bridge.close()
        let instance = try ModelInstance(path: sample.path)
        defer { instance.close() }
        let follower = try InstanceFollower(instance)
        defer { follower.stop() }
        #expect(try instance.value(tag, "name") == .string("c"))
        try putBack()
        #expect(eventually { instance.position == 1 })
        #expect(try instance.value(tag, "name") == .string("a"))
    }

    /// What an instance committed and has not come to yet is no longer its own when the numbers are handed out again.
    @Test(arguments: StackName.allCases) func numbersOfOnesOwnThatAreHandedOutAgainAreOthers(stack: StackName) throws {
        bridge.close()
        let path = sample.path
        func open() throws -> any StackInstance {
            stack == .legacy ? try LegacyInstance(path: path) : try ModelInstance(path: path)
        }
        if stack == .model {
            let again = try sample.open()
            _ = try again.handover("Tag", to: .model)
            again.close()
        }
        let (instance, other) = (try open(), try open())
        defer { for instance in [instance, other] { instance.close() } }
        let copy = sample.folder.file("copy.sqlite")
        #expect(try Programs.sqlite3(path, ".backup '\(copy)'").exitCode == 0)
        // Transaction 4 is another's, 5 its own.
        try other.update(tag, ["name": .string("d")])
        try instance.replay()
        try instance.update(tag, ["name": .string("e")])
        #expect(try Programs.sqlite3(path, ".restore '\(copy)'").exitCode == 0)
        try instance.replay()
        #expect(instance.position == 3)
        #expect(try instance.value(tag, "name") == .string("c"))
        try other.replay()
        for name in ["x", "y"] {
            try other.update(tag, ["name": .string(name)])
            try instance.replay()
            #expect(try instance.value(tag, "name") == .string(name))
        }
        #expect(instance.position == 5)
    }

    /// The older content may be from before the guard.
    @Test func theGuardIsPutBack() throws {
        defer { bridge.close() }
        try GuardTriggers.remove(from: Connection(path: backup, mode: .readWrite))
        try putBack()
        let count = "SELECT count(*) FROM sqlite_master WHERE name GLOB 'COEXIST_GUARD_*'"
        #expect(eventually { (try? sample.rows(count)) != [[.integer(0)]] })
        #expect(throws: SQLiteError.self) { try sample.foreign("UPDATE ZTAG SET ZNAME = 'x'") }
    }
}
