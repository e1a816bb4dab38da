import Foundation
import SQLite
import StoreFormat
import SwiftData
import Synchronization
import TestKit
import Testing

/// What others save while a context has objects of the same rows.
@Suite struct ContextNewsTests {
    private let sample: TripSample
    private var context: ModelContext { sample.context }

    init() throws { sample = try TripSample() }

    @Test func versionConflictKeepsThePendingChanges() throws {
        let trip = Trip(name: "Alps")
        context.insert(trip)
        try context.save()
        trip.destination = "mine"
        let other = ModelContext(sample.container)
        try #require(try other.fetch(FetchDescriptor<Trip>()).first).destination = "theirs"
        try other.save()
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .versionConflict)
        #expect(trip.destination == "mine")
        #expect(context.hasChanges)
        context.rollback()
        #expect(trip.destination == "theirs")
    }

    /// What another instance changed is told to those who look at it, and to nobody else.
    @Test func staleObjectReadsTheNewValueAfterTheReplayAndItsObserverHears() async throws {
        let trip = Trip(name: "Alps")
        context.insert(trip)
        try context.save()
        let heardOfName = Mutex(false)
        withObservationTracking {
            _ = trip.name
        } onChange: {
            heardOfName.withLock { $0 = true }
        }
        let other = try ModelInstance(path: sample.path)
        try await confirmation { heard in
            withObservationTracking {
                _ = trip.destination
            } onChange: {
                heard()
            }
            _ = try other.save(
                ObjectBatch([
                    .update(
                        .init(entity: "Trip", key: 1), values: ["destination": .attribute(.string("Bern"))],
                        expecting: nil)
                ]))
            let history = HistoryReader(
                try StoreConnector.connect(sample.path, .reader), store: sample.container.instance.store)
            try sample.container.instance.apply(history.transactions(after: sample.container.instance.position))
            #expect(trip.destination == "Bern")
        }
        #expect(!heardOfName.withLock { $0 })
    }

    /// However much others save, a context that does not look keeps a bounded list of it, and still sees all.
    @Test func aContextThatDoesNotLookForLongSeesEverythingAfterwards() throws {
        for name in ["a", "b", "c"] { context.insert(Trip(name: name)) }
        try context.save()
        let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
        #expect(trips.map(\.days) == [1, 1, 1])
        let changed = try StoreConnector.connect(sample.path, .writer(.full))
        try changed.transaction(.immediate) {
            for text in [
                "UPDATE ZTRIP SET ZDAYS = 7 WHERE ZNAME = 'a'", "DELETE FROM ZTRIP WHERE ZNAME = 'b'",
                """
                INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP)
                WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 70) SELECT i, 16002, i FROM n
                """,
                """
                INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
                SELECT 16001, 1, p.Z_ENT, 1, t.Z_PK FROM Z_PRIMARYKEY p, n, ATRANSACTION t WHERE Z_NAME = 'Trip' AND t.Z_PK >= 10
                """,
                """
                INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
                SELECT 16001, 2, Z_ENT, 2, 10 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Trip'
                """,
                "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ACHANGE) WHERE Z_NAME = 'CHANGE'",
                "UPDATE Z_PRIMARYKEY SET Z_MAX = 70 WHERE Z_NAME = 'TRANSACTION'",
            ] { try changed.run(text) }
        }
        try sample.container.instance.replay()
        #expect(sample.container.instance.position == 70)
        #expect(trips[0].days == 7)
        #expect(trips[1].isDeleted)
        #expect(trips[2].days == 1)
    }
}
