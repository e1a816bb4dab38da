import Foundation
import ModelStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// A context that nobody uses while very much is replayed: what waits for it does not grow with history.
@Suite struct IdleContextTests {
    /// Two trips that the context shows are changed and deleted; then 60,000 changes more in transactions of 5,000.
    @Test func itFollowsOnceItIsUsedAgain() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("Trips.store")
        let container = try ModelContainer(
            for: Trip.self, Item.self, Guide.self,
            configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
        let context = ModelContext(container)
        let trips = ["Alps", "Baltic", "Crete"].map { Trip(name: $0) }
        for trip in trips { context.insert(trip) }
        try context.save()
        let guide = Guide(name: "Ann")
        context.insert(guide)
        try context.save()
        #expect(guide.name == "Ann")
        // What no history tells of drops everything.
        let shown = ObjectReference(entity: "Guide", key: 1)
        try StoreConnector.connect(path, .writer(.normal)).execute("UPDATE ZGUIDE SET ZNAME = 'Beth'")
        let isDropped = eventually {
            (try? container.instance.object(shown, isFresh: false))?.values["name"] == .string("Beth")
        }
        #expect(isDropped)
        // A change of its own waits for the version test.
        trips[2].destination = "mine"
        let other = try ModelInstance(path: path)
        defer { other.close() }
        let number = try #require(other.store.layout["Trip"]?.number)
        _ = try other.save(
            ObjectBatch([
                .update(
                    .init(entity: "Trip", key: 1), values: ["destination": .attribute(.string("Bern"))],
                    expecting: nil),
                .update(
                    .init(entity: "Trip", key: 3), values: ["destination": .attribute(.string("theirs"))],
                    expecting: nil),
                .delete(.init(entity: "Trip", key: 2), expecting: nil),
            ]))
        try StoreConnector.connect(path, .writer(.normal)).execute(
            """
            BEGIN IMMEDIATE;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) SELECT 3 + i, 16002, i FROM n;
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59999)
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
            SELECT 1000 + i, 16001, 0, \(number), 1000 + i, 4 + i / 5000 FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 60999 WHERE Z_ENT = 16001;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 15 WHERE Z_ENT = 16002;
            COMMIT
            """)
        try container.instance.replay()
        #expect(container.instance.position == 15)
        #expect(trips[0].destination == "Bern")
        #expect(guide.name == "Beth")
        #expect(trips[2].destination == "mine")
        #expect(throws: StoreError.self) { _ = try trips[1].checkedValue(\.name) }
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .versionConflict)
        context.rollback()
        #expect(trips[2].destination == "theirs")
    }
}
