import Bridge
import Foundation
import StoreFormat
import TestKit
import Testing

/// Durable readers, and what history keeps for them.
@Suite struct ConsumerTests {
    private func insert(_ bridge: StoreBridge, _ count: Int) throws {
        for i in 0..<count { try bridge.legacy.insert("Tag", ["name": .string(UUID().uuidString + "\(i)")]) }
    }

    @Test func aReaderKeepsItsHistoryUntilItAcknowledges() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        try insert(bridge, 4)
        try bridge.addConsumer("search", from: 1)
        try bridge.addConsumer("sync")
        try insert(bridge, 2)
        let before = try bridge.consumers()
        #expect(before.map(\.name) == ["search", "sync"])
        #expect(before.map(\.number) == [1, 4])
        #expect(before.map(\.lag) == [5, 2])
        // Without `search`, three more could go; `sync` keeps nothing that `search` does not keep anyway.
        #expect(before.map(\.keeps) == [3, 0])

        let planned = try bridge.prune(.through(6), isDryRun: true)
        #expect((planned.last, planned.transactions) == (1, 1))
        #expect(planned.holders == ["search", "sync"])
        #expect(try bridge.extent().count == 6)
        #expect(try bridge.prune(.through(6)) == planned)
        #expect(try bridge.extent().first == 2)
        try bridge.acknowledge("search", 6)
        #expect(try bridge.prune(.acknowledged).last == 4)
        try bridge.removeConsumer("sync")
        #expect(try bridge.prune(.acknowledged).last == 6)
        #expect(try bridge.extent() == HistoryReader.Extent(first: nil, last: 6, count: 0))
        #expect(bridge.alarms.isEmpty)
    }

    @Test func readersSurviveARestart() throws {
        let sample = try BridgeSample()
        do {
            let bridge = try sample.open()
            defer { bridge.close() }
            try insert(bridge, 2)
            try bridge.addConsumer("search", from: 1)
        }
        let bridge = try sample.open()
        defer { bridge.close() }
        #expect(try bridge.consumers().map(\.number) == [1])
    }

    @Test func retentionByCountPurgesAtTheStartAndHoldsForReaders() throws {
        let sample = try BridgeSample()
        do {
            let bridge = try sample.open()
            defer { bridge.close() }
            try insert(bridge, 5)
            try bridge.addConsumer("search", from: 3)
        }
        do {
            let bridge = try sample.open { $0.retention = RetentionPolicy(transactions: 1) }
            defer { bridge.close() }
            #expect(eventually { (try? bridge.extent().first) == 4 })
            #expect(eventually { bridge.alarms.contains { $0.contains("consumer search keeps history") } })
        }
        let bridge = try sample.open {
            $0.retention = RetentionPolicy(transactions: 1, expiresConsumers: true)
        }
        defer { bridge.close() }
        #expect(eventually { (try? bridge.extent().first) == 5 })
        #expect(try bridge.consumers().map(\.state) == [.expired])
        #expect(bridge.alarms.contains { $0.contains("consumer search") && $0.contains("expired") })
        let error = #expect(throws: StoreError.self) { try bridge.acknowledge("search", 5) }
        #expect(error?.code == .tokenExpired)
    }

    @Test func retentionByAgePurgesWhatIsOlder() throws {
        let sample = try BridgeSample()
        do {
            let bridge = try sample.open()
            defer { bridge.close() }
            try insert(bridge, 3)
        }
        // Two of the three are from 2001.
        try sample.foreign("DROP TRIGGER COEXIST_GUARD_ATRANSACTION_UPDATE")
        try sample.foreign("UPDATE ATRANSACTION SET ZTIMESTAMP = Z_PK WHERE Z_PK < 3")
        let bridge = try sample.open { $0.retention = RetentionPolicy(seconds: 86_400) }
        defer { bridge.close() }
        #expect(eventually { (try? bridge.extent().first) == 3 })
    }

    /// A clock that is a year ahead looks as a store does that nobody used for a year: nothing is purged for it at once, but
    /// what is too old beside the newest transaction is.
    @Test func retentionByAgeDoesNotTrustAClockThatIsFarAhead() throws {
        let sample = try BridgeSample()
        do {
            let bridge = try sample.open { $0.guardMode = .off }
            defer { bridge.close() }
            try insert(bridge, 6)
        }
        try sample.foreign("UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - 31536000")
        try sample.foreign("UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - 172800 WHERE Z_PK < 3")
        let bridge = try sample.open {
            $0.guardMode = .off
            // The limit of the number comes after that of the age.
            $0.retention = RetentionPolicy(seconds: 86_400, transactions: 3)
        }
        defer { bridge.close() }
        #expect(eventually { (try? bridge.extent().first) ?? 7 >= 4 })
        #expect(try bridge.extent() == HistoryReader.Extent(first: 4, last: 6, count: 3))
    }

    /// What many readers are told is counted once, and is the same as of each alone.
    @Test func readersAtOnePlaceKeepNothingForEachOther() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .off }
        defer { bridge.close() }
        try insert(bridge, 5)
        for (name, number) in [("a", 2), ("b", 2), ("c", 4), ("d", 5), ("e", 0)] as [(String, Int64)] {
            try bridge.addConsumer(name, from: number)
        }
        try sample.foreign("UPDATE COEXIST_CONSUMER SET STATE = 'expired' WHERE NAME = 'e'")
        var found = try bridge.consumers()
        #expect(found.map(\.lag) == [3, 3, 1, 0, nil])
        #expect(found.map(\.keeps) == [0, 0, 0, 0, 0])
        #expect(found.map { $0.lagSeconds.map { $0 > 0 } } == [true, true, true, false, nil])
        for name in ["a", "d"] { try bridge.removeConsumer(name) }
        found = try bridge.consumers()
        #expect(found.map(\.name) == ["b", "c", "e"])
        #expect(found.map(\.keeps) == [2, 0, 0])
        try bridge.removeConsumer("c")
        #expect(try bridge.consumers().map(\.keeps) == [3, 0])
        #expect(try bridge.prune(.through(5)).last == 2)
        #expect(try bridge.consumers().map(\.lag) == [3, nil])
    }

    @Test func historyStaysBelowItsMaximumOnceReadersHaveAcknowledged() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.retention = RetentionPolicy(transactions: 100) }
        defer { bridge.close() }
        try bridge.addConsumer("search")
        try insert(bridge, 2_000)
        #expect(try bridge.extent() == HistoryReader.Extent(first: 1, last: 2_000, count: 2_000))
        try bridge.acknowledge("search", 2_000)
        #expect(eventually { (try? bridge.extent())?.count == 100 })
        #expect(try bridge.extent() == HistoryReader.Extent(first: 1_901, last: 2_000, count: 100))
        let counts = "SELECT (SELECT count(*) FROM ATRANSACTION), (SELECT count(*) FROM ACHANGE)"
        #expect(try sample.rows(counts) == [[.integer(100), .integer(100)]])

        // Without anybody in the way, what comes has what is too much go.
        try bridge.removeConsumer("search")
        try insert(bridge, 50)
        #expect(eventually { (try? bridge.extent())?.first == 1_951 })
        #expect(try bridge.extent().count == 100)
    }

    @Test func aPurgeThatFailsRaisesOneAlarmAndSavesGoOn() throws {
        let sample = try BridgeSample()
        let refusal = "no purge today"
        try sample.foreign(
            "CREATE TRIGGER KEEP BEFORE DELETE ON ATRANSACTION BEGIN SELECT RAISE(ABORT, '\(refusal)'); END")
        let bridge = try sample.open { $0.retention = RetentionPolicy(transactions: 1) }
        defer { bridge.close() }
        try insert(bridge, 3)
        #expect(eventually { bridge.alarms.contains { $0.contains(refusal) } })
        try insert(bridge, 1)
        #expect(throws: StoreError.self) { try bridge.prune(.keeping(1)) }
        #expect(try bridge.extent() == HistoryReader.Extent(first: 1, last: 4, count: 4))
        #expect(bridge.alarms.count == 1, "\(bridge.alarms)")
    }

    @Test func aDeleteWithoutAnAuthorReachesReadersAndTheOtherStack() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        let book = try bridge.legacy.insert("Book", ["title": .string("Emma"), "isbn": .string("978")])
        try bridge.replay()
        #expect(try bridge.model.value(book, "title") == .string("Emma"))
        try bridge.addConsumer("search")
        _ = try bridge.legacy.save(ObjectBatch([.delete(book, expecting: nil)]))
        try bridge.replay()
        #expect(try bridge.model.object(book, isFresh: false) == nil)

        let place = try #require(try bridge.consumers().first)
        let store = bridge.store
        let history = try bridge.read { try HistoryReader($0, store: store).transactions(after: place.number) }
        #expect(history.map(\.author) == [nil])
        let changes = history.flatMap(\.changes)
        #expect(changes.map(\.kind) == [.delete])
        #expect(changes.map(\.object) == [book])
        #expect(changes.first?.tombstone == ["isbn": .string("978")])
    }

    @Test func aPurgeGoesOnWhileOthersSave() async throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        try insert(bridge, 200)
        async let saves: Void = Task.detached { try insert(bridge, 100) }.value
        let result = try bridge.prune(.through(200))
        try await saves
        #expect(result.transactions == 200)
        try bridge.replay(to: 300)
        #expect(try bridge.extent() == HistoryReader.Extent(first: 201, last: 300, count: 100))
        #expect(try bridge.model.count(of: ObjectQuery(entity: "Tag")) == 300)
    }
}
