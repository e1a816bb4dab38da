import Foundation
import SQLite
import StoreFormat
import SwiftData
import Synchronization
import TestKit
import Testing

@Suite struct ContextTests {
    private let folder: TemporaryFolder
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        folder = try TemporaryFolder()
        let url = URL(fileURLWithPath: folder.file("Trips.store"))
        container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url))
        context = ModelContext(container)
    }

    private func sql(_ text: String) throws -> [[SQLValue]] {
        try StoreConnector.connect(folder.file("Trips.store"), .reader).query(text)
    }

    @Test func savedObjectHasItsColumnsAndReadsBackEqual() throws {
        let trip = Trip(name: "Alps", destination: "Zermatt")
        trip.budget = 12.5
        trip.kind = .business
        trip.address = Trip.Address(street: "Main", number: 7)
        trip.notes = ["a", "b"]
        trip.photo = Data([1, 2, 3])
        context.insert(trip)
        trip.items = [Item(title: "Tent"), Item(title: "Rope", weight: 3)]
        #expect(context.hasChanges)
        try context.save()
        #expect(!context.hasChanges)
        #expect(
            try sql("SELECT ZNAME, ZDESTINATION, ZBUDGET, ZDAYS, ZKIND, ZSTREET, ZNUMBER, Z_OPT FROM ZTRIP") == [
                ["Alps", "Zermatt", 12.5, 1, "business", "Main", 7, 1]
            ])
        #expect(try sql("SELECT hex(ZPHOTO) FROM ZTRIP") == [["01010203"]])
        #expect(
            try sql("SELECT ZTITLE, ZTRIP, ZISPACKED FROM ZITEM ORDER BY ZTITLE") == [["Rope", 1, 0], ["Tent", 1, 0]])
        let other = ModelContext(container)
        let read = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
        #expect(read.address == Trip.Address(street: "Main", number: 7))
        #expect(read.kind == .business)
        #expect(read.notes == ["a", "b"])
        #expect(read.photo == Data([1, 2, 3]))
        #expect(Set(read.items.map(\.title)) == ["Tent", "Rope"])
        #expect(read.items.first?.trip === read)
        #expect(read.code == trip.code)
    }

    @Test func identityOfASavedObjectFindsItAlsoByTheTemporaryOne() throws {
        let trip = Trip(name: "Alps")
        context.insert(trip)
        let early = trip.persistentModelID
        try context.save()
        #expect(trip.persistentModelID.reference == ObjectReference(entity: "Trip", key: 1))
        let found: Trip? = try context.existingModel(for: early)
        #expect(found === trip)
        let other = ModelContext(container)
        #expect(throws: StoreError.self) { let _: Trip? = try other.existingModel(for: early) }
    }

    @Test func equalAssignmentIsNoChange() throws {
        let trip = Trip(name: "Alps")
        context.insert(trip)
        try context.save()
        trip.name = "Alps"
        #expect(!context.hasChanges)
        try context.save()
        #expect(try sql("SELECT Z_OPT FROM ZTRIP") == [[1]])
        #expect(try sql("SELECT count(*) FROM ATRANSACTION") == [[1]])
    }

    @Test func bothEndsOfARelationshipFollow() throws {
        let trip = Trip(name: "Alps")
        context.insert(trip)
        let item = Item(title: "Tent")
        item.trip = trip
        #expect(trip.items.map(\.title) == ["Tent"])
        trip.items.append(Item(title: "Rope"))
        #expect(trip.items.last?.trip === trip)
        try context.save()
        item.trip = nil
        #expect(trip.items.map(\.title) == ["Rope"])
        try context.save()
        #expect(try sql("SELECT Z_OPT FROM ZTRIP") == [[2]])
        #expect(try sql("SELECT ZTITLE FROM ZITEM WHERE ZTRIP IS NULL") == [["Tent"]])
    }

    @Test func manyToManyIsReadFromBothEnds() throws {
        let item = Item(title: "Tent")
        let label = Label(word: "outdoor")
        context.insert(item)
        item.tags = [label]
        #expect(label.items.map(\.title) == ["Tent"])
        try context.save()
        let other = ModelContext(container)
        let read = try #require(try other.fetch(FetchDescriptor<Label>()).first)
        #expect(read.items.map(\.title) == ["Tent"])
        read.items = []
        try other.save()
        #expect(item.tags.isEmpty)
    }

    @Test func deletedObjectTakesItsItemsAlong() throws {
        let trip = Trip(name: "Alps")
        let guide = Guide(name: "Ann")
        context.insert(trip)
        trip.items = [Item(title: "Tent"), Item(title: "Rope")]
        trip.guide = guide
        try context.save()
        let other = ModelContext(container)
        other.delete(try #require(try other.fetch(FetchDescriptor<Trip>()).first))
        try other.save()
        #expect(try sql("SELECT count(*) FROM ZITEM") == [[0]])
        #expect(try sql("SELECT Z_OPT FROM ZGUIDE") == [[2]])
        #expect(try sql("SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 2") == [[3]])
        #expect(trip.isDeleted)
        #expect(guide.trips?.isEmpty == true)
    }

    @Test func deleteByPredicateAppliesTheRules() throws {
        for name in ["a", "b", "c"] {
            let trip = Trip(name: name)
            context.insert(trip)
            trip.items = [Item(title: name)]
        }
        try context.save()
        try context.delete(model: Trip.self, where: #Predicate { $0.name != "b" })
        try context.save()
        #expect(try sql("SELECT ZTITLE FROM ZITEM") == [["b"]])
    }

    @Test func deleteByPredicateRemovesTheExternalFiles() throws {
        for name in ["a", "b", "c"] {
            let trip = Trip(name: name)
            trip.photo = Data(repeating: 1, count: 200_000)
            context.insert(trip)
        }
        try context.save()
        let files = ExternalData(storePath: folder.file("Trips.store")).folder
        #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 3)
        try context.delete(model: Trip.self)
        try context.save()
        #expect(try sql("SELECT count(*) FROM ZTRIP") == [[0]])
        #expect(try FileManager.default.contentsOfDirectory(atPath: files) == [])
    }

    @Test func deleteByPredicateThatLeavesAMandatoryInverseEmptyIsRefusedWhole() throws {
        let path = folder.file("Chats.store")
        let chats = ModelContext(
            try ModelContainer(
                for: Chat.self, Remark.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path))))
        chats.insert(Chat(topic: "empty"))
        chats.insert(Remark(chat: Chat(topic: "full")))
        try chats.save()
        func rows() throws -> [[SQLValue]] {
            try StoreConnector.connect(path, .reader).query(
                "SELECT (SELECT count(*) FROM ZCHAT), (SELECT count(*) FROM ZREMARK), (SELECT count(*) FROM ATRANSACTION)"
            )
        }
        let error = #expect(throws: StoreError.self) {
            try chats.delete(model: Chat.self)
            try chats.save()
        }
        #expect(error?.code == .validationFailed)
        #expect(error?.message.contains("Remark") == true)
        #expect(error?.objects.map(\.object.entity) == ["Remark"])
        #expect(try rows() == [[2, 1, 1]])
        chats.rollback()
        // With the remarks they go.
        try chats.delete(model: Remark.self)
        try chats.delete(model: Chat.self)
        try chats.save()
        #expect(try rows() == [[0, 0, 2]])
    }

    @Test func aClassThatTheContainerLacksIsUnknown() throws {
        context.insert(Trip(name: "Alps"))
        try context.save()
        func image() throws -> [String: String] {
            // Readers leave their marks in the log's index.
            try FileImage.of(folder.path).filter { !$0.key.hasSuffix("-shm") }
        }
        let before = try image()
        let fetch = #expect(throws: StoreError.self) { _ = try context.fetch(FetchDescriptor<Lonely>()) }
        #expect(fetch?.code == .unknownEntity)
        #expect(fetch?.message.contains("Lonely") == true)
        let count = #expect(throws: StoreError.self) { _ = try context.fetchCount(FetchDescriptor<Lonely>()) }
        #expect(count?.code == .unknownEntity)
        #expect(!context.hasChanges)
        #expect(try image() == before)
        #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.name) == ["Alps"])
    }

    @Test func insertWithAnExistingUniqueValueUpdatesThatRow() throws {
        let first = Trip(name: "Alps", destination: "x")
        context.insert(first)
        try context.save()
        let second = Trip(name: "Alps", destination: "y")
        context.insert(second)
        try context.save()
        #expect(try sql("SELECT Z_PK, ZDESTINATION, Z_OPT FROM ZTRIP") == [[1, "y", 2]])
        #expect(second.persistentModelID == first.persistentModelID)
        #expect(first.destination == "y")
        #expect(try sql("SELECT ZCHANGETYPE FROM ACHANGE ORDER BY Z_PK") == [[0], [1]])
    }

    @Test func rollbackBringsTheStoredValuesBack() throws {
        let trip = Trip(name: "Alps")
        context.insert(trip)
        try context.save()
        trip.name = "Other"
        trip.items = [Item(title: "Tent")]
        context.delete(trip)
        context.rollback()
        #expect(trip.name == "Alps")
        #expect(trip.items.isEmpty)
        #expect(!trip.isDeleted)
        #expect(!context.hasChanges)
    }

    @Test func versionConflictKeepsThePendingChanges() throws {
        let trip = Trip(name: "Alps")
        context.insert(trip)
        try context.save()
        trip.destination = "mine"
        let other = ModelContext(container)
        try #require(try other.fetch(FetchDescriptor<Trip>()).first).destination = "theirs"
        try other.save()
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .versionConflict)
        #expect(trip.destination == "mine")
        #expect(context.hasChanges)
        context.rollback()
        #expect(trip.destination == "theirs")
    }

    @Test func pendingObjectsAreFetchedSortedAmongTheStored() throws {
        for name in ["b", "d"] { context.insert(Trip(name: name)) }
        try context.save()
        context.insert(Trip(name: "c"))
        var descriptor = FetchDescriptor<Trip>(
            predicate: #Predicate { $0.name > "a" }, sortBy: [SortDescriptor(\.name)])
        #expect(try context.fetch(descriptor).map(\.name) == ["b", "c", "d"])
        descriptor.fetchOffset = 1
        descriptor.fetchLimit = 1
        #expect(try context.fetch(descriptor).map(\.name) == ["c"])
        descriptor.includePendingChanges = false
        #expect(try context.fetch(descriptor).map(\.name) == ["d"])
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 3)
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
        let other = try ModelInstance(path: folder.file("Trips.store"))
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
                try StoreConnector.connect(folder.file("Trips.store"), .reader), store: container.instance.store)
            try container.instance.apply(history.transactions(after: container.instance.position))
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
        let changed = try StoreConnector.connect(folder.file("Trips.store"), .writer(.full))
        try changed.transaction(.immediate) {
            for text in [
                "UPDATE ZTRIP SET ZDAYS = 7 WHERE ZNAME = 'a'", "DELETE FROM ZTRIP WHERE ZNAME = 'b'",
                """
                INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP)
                WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 120) SELECT i, 16002, i FROM n
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
                "UPDATE Z_PRIMARYKEY SET Z_MAX = 120 WHERE Z_NAME = 'TRANSACTION'",
            ] { try changed.run(text) }
        }
        try container.instance.replay()
        #expect(container.instance.position == 120)
        #expect(trips[0].days == 7)
        #expect(trips[1].isDeleted)
        #expect(trips[2].days == 1)
    }

    @Test func whatTheStoreCannotHaveReadsAsTheClassDefault() throws {
        context.insert(Trip(name: "Alps"))
        try context.save()
        try StoreConnector.connect(folder.file("Trips.store"), .writer(.full)).run(
            "UPDATE ZTRIP SET ZKIND = 'moon', ZNOTES = x'00', ZDAYS = NULL, ZCODE = 7")
        container.instance.dropCaches(of: nil, position: nil)
        let trip = try #require(try ModelContext(container).fetch(FetchDescriptor<Trip>()).first)
        #expect(trip.kind == .holiday)
        #expect(trip.notes == [])
        #expect(trip.days == 1)
        #expect(trip.code == UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        #expect(trip.valueFaults.map(\.code) == [.missingValue, .invalidRawValue, .invalidValue, .invalidValue])
    }

    @Test func otherClassesThanTheStoresAreRefused() throws {
        let url = URL(fileURLWithPath: folder.file("Trips.store"))
        let error = #expect(throws: StoreError.self) {
            try ModelContainer(for: Lonely.self, configurations: ModelConfiguration(url: url))
        }
        #expect(error?.code == .schemaMismatch)
    }

    @Test func failedSaveIsRepairedAndSavedAgain() throws {
        let item = Item(title: "Tent")
        context.insert(item)
        let trip = Trip(name: "Alps")
        context.insert(trip)
        trip.budget = .nan
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .validationFailed)
        #expect(try sql("SELECT count(*) FROM ZITEM") == [[0]])
        trip.budget = 1
        try context.save()
        #expect(try sql("SELECT count(*) FROM ZITEM") == [[1]])
    }
}

@Model
final class Lonely {
    var name: String

    init(name: String) {
        self.name = name
    }
}

@Model
final class Chat {
    var topic: String
    @Relationship(deleteRule: .nullify, inverse: \Remark.chat) var remarks: [Remark] = []

    init(topic: String) {
        self.topic = topic
    }
}

@Model
final class Remark {
    var chat: Chat

    init(chat: Chat) {
        self.chat = chat
    }
}
