import Foundation
import SQLite
import StoreFormat
import SwiftData
import Synchronization
import TestKit
import Testing

/// What a context saves, fetches, keeps apart and gives up.
@Suite struct ContextTests {
    private let sample: TripSample
    private var context: ModelContext { sample.context }

    init() throws { sample = try TripSample() }

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
            try sample.sql("SELECT ZNAME, ZDESTINATION, ZBUDGET, ZDAYS, ZKIND, ZSTREET, ZNUMBER, Z_OPT FROM ZTRIP") == [
                ["Alps", "Zermatt", 12.5, 1, "business", "Main", 7, 1]
            ])
        #expect(try sample.sql("SELECT hex(ZPHOTO) FROM ZTRIP") == [["01010203"]])
        #expect(
            try sample.sql("SELECT ZTITLE, ZTRIP, ZISPACKED FROM ZITEM ORDER BY ZTITLE") == [
                ["Rope", 1, 0], ["Tent", 1, 0],
            ])
        let other = ModelContext(sample.container)
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
        let other = ModelContext(sample.container)
        #expect(throws: StoreError.self) { let _: Trip? = try other.existingModel(for: early) }
    }

    @Test func equalAssignmentIsNoChange() throws {
        let trip = Trip(name: "Alps")
        context.insert(trip)
        try context.save()
        trip.name = "Alps"
        #expect(!context.hasChanges)
        try context.save()
        #expect(try sample.sql("SELECT Z_OPT FROM ZTRIP") == [[1]])
        #expect(try sample.sql("SELECT count(*) FROM ATRANSACTION") == [[1]])
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
        #expect(try sample.sql("SELECT Z_OPT FROM ZTRIP") == [[2]])
        #expect(try sample.sql("SELECT ZTITLE FROM ZITEM WHERE ZTRIP IS NULL") == [["Tent"]])
    }

    @Test func manyToManyIsReadFromBothEnds() throws {
        let item = Item(title: "Tent")
        let label = Label(word: "outdoor")
        context.insert(item)
        item.tags = [label]
        #expect(label.items.map(\.title) == ["Tent"])
        try context.save()
        let other = ModelContext(sample.container)
        let read = try #require(try other.fetch(FetchDescriptor<Label>()).first)
        #expect(read.items.map(\.title) == ["Tent"])
        read.items = []
        try other.save()
        #expect(item.tags.isEmpty)
    }

    @Test func aClassThatTheContainerLacksIsUnknown() throws {
        context.insert(Trip(name: "Alps"))
        try context.save()
        func image() throws -> [String: String] {
            // Readers leave their marks in the log's index.
            try FileImage.of(sample.folder.path).filter { !$0.key.hasSuffix("-shm") }
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
        #expect(try sample.sql("SELECT Z_PK, ZDESTINATION, Z_OPT FROM ZTRIP") == [[1, "y", 2]])
        #expect(second.persistentModelID == first.persistentModelID)
        #expect(first.destination == "y")
        #expect(try sample.sql("SELECT ZCHANGETYPE FROM ACHANGE ORDER BY Z_PK") == [[0], [1]])
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

    @Test func whatTheStoreCannotHaveReadsAsTheClassDefault() throws {
        context.insert(Trip(name: "Alps"))
        try context.save()
        try StoreConnector.connect(sample.path, .writer(.full)).run(
            "UPDATE ZTRIP SET ZKIND = 'moon', ZNOTES = x'00', ZDAYS = NULL, ZCODE = 7")
        sample.container.instance.dropCaches(of: nil, position: nil)
        let trip = try #require(try ModelContext(sample.container).fetch(FetchDescriptor<Trip>()).first)
        #expect(trip.kind == .holiday)
        #expect(trip.notes == [])
        #expect(trip.days == 1)
        #expect(trip.code == UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        #expect(trip.valueFaults.map(\.code) == [.missingValue, .invalidRawValue, .invalidValue, .invalidValue])
    }

    @Test func otherClassesThanTheStoresAreRefused() throws {
        let url = URL(fileURLWithPath: sample.path)
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
        #expect(try sample.sql("SELECT count(*) FROM ZITEM") == [[0]])
        trip.budget = 1
        try context.save()
        #expect(try sample.sql("SELECT count(*) FROM ZITEM") == [[1]])
    }
}

@Model
final class Lonely {
    var name: String

    init(name: String) {
        self.name = name
    }
}
