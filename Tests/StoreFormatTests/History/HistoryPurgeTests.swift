import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

@Suite struct HistoryPurgeTests {
    /// A store with transactions of one insert each, a second apart.
    private func sample(_ count: Int, adopted: Bool = true) throws -> SampleStore {
        let sample = try SampleStore()
        for i in 1...count { try sample.insert("Shelf", ["label": .string("\(i)")]) }
        try sample.connection.execute("UPDATE ATRANSACTION SET ZTIMESTAMP = 1000 + Z_PK")
        if adopted { try sample.adopt() }
        return sample
    }

    private func numbers(_ sample: SampleStore) throws -> [Int64] {
        try sample.connection.query("SELECT Z_PK FROM ATRANSACTION ORDER BY 1").compactMap { $0[0].integerValue }
    }

    private func purge(_ sample: SampleStore, _ bound: HistoryPurge.Bound) throws {
        let purge = HistoryPurge(sample.connection, store: sample.store)
        let last = try purge.plan(bound).last
        while try purge.step(through: last) {}
    }

    @Test(arguments: [
        (HistoryPurge.Bound.through(3), [4, 5]), (.through(0), [1, 2, 3, 4, 5]), (.through(99), []),
        (.keeping(2), [4, 5]),
        (.keeping(9), [1, 2, 3, 4, 5]), (.keeping(0), []),
        (.before(Date(timeIntervalSinceReferenceDate: 1003)), [3, 4, 5]), (.acknowledged, [1, 2, 3, 4, 5]),
    ]) func aBoundLetsTheOldestGo(_ bound: HistoryPurge.Bound, _ left: [Int64]) throws {
        let sample = try sample(5)
        try purge(sample, bound)
        #expect(try numbers(sample) == left)
        #expect(try sample.count("ACHANGE") == Int64(left.count))
        try sample.expectSound()
    }

    @Test func aPurgeByDateEndsAtTheFirstThatIsNotOlder() throws {
        let sample = try sample(5)
        // The clock went back after the second transaction, and forward again.
        try sample.connection.execute("UPDATE ATRANSACTION SET ZTIMESTAMP = 5000 WHERE Z_PK = 3")
        try purge(sample, .before(Date(timeIntervalSinceReferenceDate: 2000)))
        #expect(try numbers(sample) == [3, 4, 5])
    }

    @Test func aNumberIsNeverHandedOutAgain() throws {
        for isAdopted in [false, true] {
            let sample = try sample(3, adopted: isAdopted)
            try purge(sample, .through(3))
            #expect(try numbers(sample) == [])
            try sample.insert("Shelf", ["label": .string("x")], sample.authority())
            #expect(try numbers(sample) == [4])
            try sample.expectSound()
        }
    }

    @Test func readersBehindThePurgeAreToldAndOthersGoOn() throws {
        let sample = try sample(5)
        try purge(sample, .through(3))
        let reader = HistoryReader(sample.connection, store: sample.store)
        #expect(try reader.floor() == 3)
        #expect(try reader.transactions(after: 3).map(\.number) == [4, 5])
        expectStoreError(.tokenExpired) { _ = try reader.transactions(after: 2) }
    }

    @Test func anActiveConsumerHoldsWhatItHasNotAcknowledged() throws {
        let sample = try sample(5)
        let register = ConsumerRegister(sample.connection, store: sample.store)
        try register.add("slow", from: 2)
        try register.add("fast", from: 4)
        let plan = try HistoryPurge(sample.connection, store: sample.store).plan(.through(5))
        #expect(plan.last == 2)
        #expect(plan.wanted == 5)
        #expect(plan.transactions == 2)
        #expect(plan.holders.map(\.name) == ["fast", "slow"])
        try purge(sample, .through(5))
        #expect(try numbers(sample) == [3, 4, 5])
        try register.acknowledge("slow", 5)
        try purge(sample, .acknowledged)
        #expect(try numbers(sample) == [5])
        #expect(try register.expire(behind: 5) == ["fast"])
        try purge(sample, .through(5))
        #expect(try numbers(sample) == [])
        try sample.expectSound()
    }

    @Test func aConsumerThatIsAddedBetweenTwoBatchesIsHeeded() throws {
        let sample = try sample(5)
        let purge = HistoryPurge(sample.connection, store: sample.store)
        let last = try purge.plan(.through(5)).last
        try ConsumerRegister(sample.connection, store: sample.store).add("late", from: 3)
        while try purge.step(through: last) {}
        #expect(try numbers(sample) == [4, 5])
    }

    @Test func acknowledgementsGoForwardOnlyAndNotAhead() throws {
        let sample = try sample(5)
        let register = ConsumerRegister(sample.connection, store: sample.store)
        try register.add("reader", from: 2)
        expectStoreError(.alreadyExists) { try register.add("reader", from: 2) }
        expectStoreError(.refused) { try register.add("no name", from: 2) }
        expectStoreError(.refused) { try register.add("ahead", from: 6) }
        try register.acknowledge("reader", 4)
        try register.acknowledge("reader", 4)
        expectStoreError(.refused) { try register.acknowledge("reader", 3) }
        expectStoreError(.refused) { try register.acknowledge("reader", 6) }
        expectStoreError(.unknownObject) { try register.acknowledge("nobody", 4) }
        expectStoreError(.unknownObject) { try register.remove("nobody") }
        #expect(try register.all().map(\.number) == [4])
        try purge(sample, .through(4))
        expectStoreError(.tokenExpired) { try register.add("behind", from: 3) }
        _ = try register.expire(behind: 5)
        expectStoreError(.tokenExpired) { try register.acknowledge("reader", 5) }
        try register.remove("reader")
        #expect(try register.all() == [])
    }

    @Test func aTransactionOfMoreChangesThanABatchGoesInParts() throws {
        let sample = try SampleStore()
        let count = HistoryPurge.batchChanges * 2 + 10
        try sample.save { save in
            for i in 0..<count { try SampleStore.insert("Shelf", ["label": .string("\(i)")], in: save) }
        }
        try sample.adopt()
        let purge = HistoryPurge(sample.connection, store: sample.store)
        #expect(try purge.step(through: 1))
        // Already with its first part gone it counts as purged.
        #expect(try sample.count("ACHANGE") == Int64(count - HistoryPurge.batchChanges))
        let reader = HistoryReader(sample.connection, store: sample.store)
        expectStoreError(.tokenExpired) { _ = try reader.transactions(after: 0) }
        #expect(try reader.floor() == 1)
        while try purge.step(through: 1) {}
        #expect(try sample.count("ACHANGE") == 0)
        #expect(try numbers(sample) == [])
        try sample.expectSound()
    }

    /// A purge leaves no transaction, and the counter of a file from elsewhere may be behind: our own floor has it.
    @Test func aNumberIsNotHandedOutAgainThoughTheCounterIsBehind() throws {
        let sample = try sample(3)
        try purge(sample, .through(3))
        try sample.connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'TRANSACTION'")
        try sample.insert("Shelf", ["label": .string("x")], sample.authority())
        #expect(try numbers(sample) == [4])
    }

    @Test func whatAStackHasNotReplayedIsNotPlannedToGo() throws {
        let sample = try sample(5)
        let plan = try HistoryPurge(sample.connection, store: sample.store).plan(.through(4), notPast: 2)
        #expect((plan.last, plan.wanted, plan.transactions) == (2, 4, 2))
    }

    /// Without our tables nothing would say that part of it is gone.
    @Test func inAStoreThatIsNotAdoptedALargeTransactionGoesAsAWhole() throws {
        let sample = try SampleStore()
        try sample.save { save in
            for _ in 0...HistoryPurge.batchChanges { try SampleStore.insert("Shelf", in: save) }
        }
        try sample.insert("Shelf")
        let purge = HistoryPurge(sample.connection, store: sample.store)
        #expect(try purge.step(through: 2))
        #expect(try numbers(sample) == [2])
        #expect(try sample.count("ACHANGE") == 1)
    }
}
