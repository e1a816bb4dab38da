import Bridge
import Foundation
import LegacyStack
import ModelStack
import StoreFormat
import Synchronization
import TestKit
import Testing

@Suite struct ReplayTests {
    @Test func aStaleObjectOfTheOtherStackReadsTheNewValueAfterReplay() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.seed = OwnershipSeed(entities: ["Tag": .model]) }
        defer { bridge.close() }
        let tag = try bridge.model.insert("Tag", ["name": .string("a")])
        try bridge.replay()
        let legacy = try #require(bridge.legacy as? LegacyInstance)
        let context = legacy.newContext()
        let object = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag")).first)
        #expect(object.value(forKey: "name") as? String == "a")
        #expect(try bridge.legacy.value(tag, "name") == .string("a"))

        try bridge.model.update(tag, ["name": .string("b")])
        try bridge.replay()
        #expect(object.value(forKey: "name") as? String == "b")
        #expect(try bridge.legacy.value(tag, "name") == .string("b"))
        #expect(!context.hasChanges)
    }

    @Test func aDeletedObjectIsGoneFromTheOtherStackAfterReplay() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        let tag = try bridge.legacy.insert("Tag", ["name": .string("a")])
        try bridge.replay()
        #expect(try bridge.model.value(tag, "name") == .string("a"))
        _ = try bridge.legacy.save(ObjectBatch([.delete(tag, expecting: nil)]))
        try bridge.replay()
        #expect(try bridge.model.object(tag, isFresh: false) == nil)
    }

    @Test func commitsOfAnEmbeddedInstanceAreReplayed() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        let tag = try bridge.legacy.insert("Tag", ["name": .string("a")])
        try bridge.replay()
        #expect(try bridge.model.value(tag, "name") == .string("a"))
        let embedded = try LegacyInstance(path: sample.path)
        defer { embedded.close() }
        try embedded.update(tag, ["name": .string("b")])
        try bridge.replay(to: 2)
        for instance in [bridge.legacy, bridge.model] { #expect(try instance.value(tag, "name") == .string("b")) }
        #expect(bridge.alarms.isEmpty)
    }

    @Test func aForeignTrackedWriteIsReplayedLikeAnyOther() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .off }
        defer { bridge.close() }
        let tag = try bridge.legacy.insert("Tag", ["name": .string("a")])
        try bridge.replay()
        #expect(try bridge.model.value(tag, "name") == .string("a"))
        try sample.foreignSave()
        try bridge.replay(to: 2)
        for instance in [bridge.legacy, bridge.model] { #expect(try instance.value(tag, "name") == .string("b")) }
        #expect(bridge.alarms.isEmpty)
    }

    @Test func anInstanceBehindAPurgeDropsItsCacheOnce() throws {
        let sample = try BridgeSample()
        let instance = try ModelInstance(path: sample.path)
        defer { instance.close() }
        let legacy = try LegacyInstance(path: sample.path)
        defer { legacy.close() }
        let tag = try legacy.insert("Tag", ["name": .string("a")])
        try instance.replay()
        #expect(try instance.value(tag, "name") == .string("a"))
        try legacy.update(tag, ["name": .string("b")])
        try legacy.update(tag, ["name": .string("c")])
        try sample.foreign("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
        try instance.replay()
        #expect(instance.position == 3)
        #expect(try instance.value(tag, "name") == .string("c"))
    }

    @Test(arguments: StackName.allCases) func replayIsIdempotent(stack: StackName) throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.seed = OwnershipSeed(defaultOwner: stack.other) }
        defer { bridge.close() }
        let tag = try bridge.instance(stack.other).insert("Tag", ["name": .string("a")])
        try bridge.replay()
        let store = bridge.store
        let history = try bridge.read { try HistoryReader($0, store: store).transactions(after: 0) }
        let instance = bridge.instance(stack)
        #expect(try instance.value(tag, "name") == .string("a"))
        let before = instance.cacheStatistics
        try instance.apply(history)
        #expect(instance.position == 1)
        #expect(instance.cacheStatistics.invalidations == before.invalidations)
    }

    @Test(arguments: StackName.allCases)
    func historyThatIsAppliedTwiceChangesNothing(stack: StackName) throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        let tag = try bridge.legacy.insert("Tag", ["name": .string("a")])
        let shelf = try bridge.legacy.insert("Shelf", ["label": .string("x")])
        try bridge.legacy.update(tag, ["name": .string("b")])
        _ = try bridge.legacy.save(ObjectBatch([.delete(shelf, expecting: nil)]))
        try bridge.replay()
        let counts = """
            SELECT (SELECT count(*) FROM ATRANSACTION), (SELECT count(*) FROM ACHANGE), (SELECT count(*) FROM ZTAG),
                (SELECT count(*) FROM ZSHELF), (SELECT max(Z_OPT) FROM ZTAG), (SELECT COMMITS FROM COEXIST_STATE)
            """
        let before = try sample.rows(counts)
        #expect(before.first?.prefix(5).map(\.integerValue) == [4, 4, 1, 0, 2])
        let store = bridge.store
        let history = try bridge.read { try HistoryReader($0, store: store).transactions(after: 0) }
        let instance = bridge.instance(stack)
        for _ in 1...2 {
            // As for an instance that is at the beginning: what it applies is not passed over as known.
            instance.dropCaches(of: nil, position: 0)
            try instance.apply(history)
            #expect(instance.position == 4)
            #expect(try instance.value(tag, "name") == .string("b"))
            #expect(try instance.object(shelf, isFresh: false) == nil)
        }
        #expect(try sample.rows(counts) == before)
    }

    @Test(arguments: StackName.allCases)
    func aHandlerThatSavesEnds(stack: StackName) throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.seed = OwnershipSeed(entities: ["Tag": stack]) }
        defer { bridge.close() }
        let calls = Mutex(0)
        let token = bridge.addObserver { [unowned bridge] replayed, transactions in
            guard replayed == stack else { return }
            for transaction in transactions where transaction.author == "foreign" {
                calls.withLock { $0 += 1 }
                let values = ["name": ObjectBatch.Input.attribute(.string("own \(transaction.number)"))]
                let batch = ObjectBatch([.insert(entity: "Tag", name: "new", values: values)], author: "own")
                _ = try? bridge.instance(stack).save(batch)
            }
        }
        defer { bridge.removeObserver(token) }
        let other: any StackInstance =
            try stack == .legacy ? LegacyInstance(path: sample.path) : ModelInstance(path: sample.path)
        defer { other.close() }
        for i in 1...20 {
            let values = ["name": ObjectBatch.Input.attribute(.string("foreign \(i)"))]
            _ = try other.save(
                ObjectBatch([.insert(entity: "Tag", name: "new", values: values)], author: "foreign"))
        }
        #expect(eventually { (try? bridge.extent().last) == 40 })
        try bridge.replay()
        #expect(try bridge.extent().last == 40, "the handler's own saves call for no more")
        #expect(calls.withLock { $0 } == 20)
        #expect(try bridge.legacy.count(of: ObjectQuery(entity: "Tag")) == 40)
        #expect(bridge.alarms == [])
    }

    @Test func aBurstOfSavesMakesFewReplays() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        let writer = try LegacyInstance(path: sample.path)
        defer { writer.close() }
        let seen = Seen()
        let passes = Mutex<[StackName: Int]>([:])
        let isSaved = DispatchSemaphore(value: 0)
        let token = bridge.addObserver { stack, transactions in
            seen.add(stack, transactions.map(\.number))
            let isFirst = passes.withLock { passes in
                passes[stack, default: 0] += 1
                return passes[stack] == 1
            }
            // Replay is at its first transactions until all the others are there.
            if isFirst { isSaved.wait() }
        }
        for i in 1...1_000 { try writer.insert("Tag", ["name": .string("\(i)")]) }
        for _ in StackName.allCases { isSaved.signal() }
        try bridge.replay(to: 1_000)
        bridge.removeObserver(token)
        for stack in StackName.allCases {
            #expect(seen.numbers(stack) == Array(1...1_000))
            #expect((2...3).contains(passes.withLock { $0[stack] } ?? 0))
        }
        #expect(try bridge.model.count(of: ObjectQuery(entity: "Tag")) == 1_000)
    }

    @Test func aReadBetweenCommitAndReplayCountsAsStale() throws {
        let sample = try BridgeSample()
        for stack in StackName.allCases {
            let writer = try LegacyInstance(path: sample.path)
            defer { writer.close() }
            let store = try Store.open(sample.path)
            let reader: any StackInstance =
                try stack == .legacy ? LegacyInstance(store: store) : ModelInstance(store: store)
            defer { reader.close() }
            let tag = try writer.insert("Tag", ["name": .string("a \(stack)")])
            #expect(try reader.object(tag, isFresh: false) != nil)
            try writer.update(tag, ["name": .string("b \(stack)")])
            #expect(try reader.value(tag, "name") == .string("a \(stack)"))
            try reader.replay()
            #expect(reader.cacheStatistics.stale == 1, "\(stack)")
            #expect(try reader.value(tag, "name") == .string("b \(stack)"))
        }
    }

    /// A commit of the process is applied from memory: what that tells is what history holds.
    @Test func whatIsReplayedFromMemoryIsWhatHistoryHolds() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        let seen = Mutex<[StackName: [HistoryTransaction]]>([:])
        let token = bridge.addObserver { stack, transactions in
            seen.withLock { $0[stack, default: []] += transactions }
        }
        let tag = try bridge.legacy.insert("Tag", ["name": .string("a")])
        try bridge.legacy.update(tag, ["name": .string("b")])
        let shelf = try bridge.legacy.insert("Shelf", ["label": .string("s")])
        _ = try bridge.legacy.save(ObjectBatch([.delete(tag, expecting: nil), .delete(shelf, expecting: nil)]))
        let many = (0..<300).map {
            ObjectBatch.Operation.insert(entity: "Tag", name: "\($0)", values: ["name": .attribute(.string("t\($0)"))])
        }
        _ = try bridge.legacy.save(ObjectBatch(many))
        let last = try bridge.lastTransaction()
        try bridge.replay(to: last)
        bridge.removeObserver(token)
        let history = try bridge.read { try HistoryReader($0, store: bridge.store).transactions(after: 0) }
        #expect(history.map(\.changes.count) == [1, 1, 1, 2, 300])
        for stack in StackName.allCases {
            let told = seen.withLock { $0[stack] ?? [] }
            #expect(told.map(\.number) == history.map(\.number))
            for (a, b) in zip(told, history) {
                #expect(a.writer == b.writer && a.author == b.author && a.timestamp == b.timestamp)
                #expect(a.changes.map(\.kind) == b.changes.map(\.kind))
                #expect(a.changes.map(\.object) == b.changes.map(\.object))
                #expect(a.changes.map(\.properties) == b.changes.map(\.properties))
            }
        }
    }

    @Test func observersSeeEachTransactionOfEachStackInOrder() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        let seen = Seen()
        let token = bridge.addObserver { stack, transactions in seen.add(stack, transactions.map(\.number)) }
        for i in 0..<20 { try bridge.legacy.insert("Tag", ["name": .string("\(i)")]) }
        try bridge.replay(to: 20)
        bridge.removeObserver(token)
        try bridge.legacy.insert("Tag", ["name": .string("after")])
        try bridge.replay(to: 21)
        for stack in StackName.allCases { #expect(seen.numbers(stack) == Array(1...20)) }
    }
}

/// What an observer was told.
private final class Seen: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var all: [StackName: [Int64]] = [:]

    func add(_ stack: StackName, _ numbers: [Int64]) {
        lock.withLock { all[stack, default: []] += numbers }
    }

    func numbers(_ stack: StackName) -> [Int64] { lock.withLock { all[stack] ?? [] } }
}
