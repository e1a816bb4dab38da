import Bridge
import Foundation
import LegacyStack
import ModelStack
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
}
