import Foundation
import StoreFormat
import SwiftData
import Synchronization
import TestKit
import Testing

/// Several containers over one store, as in several processes: each has connections, caches and contexts of its own.
struct ContendedSaveTests {
    private let folder: TemporaryFolder
    private let containers: [ModelContainer]

    init() throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        let configuration = ModelConfiguration(url: URL(fileURLWithPath: folder.file("Trips.store")))
        containers = try (0..<2).map { _ in
            try ModelContainer(for: Trip.self, Item.self, Label.self, Guide.self, configurations: configuration)
        }
    }

    /// Runs the body for each container at the same time, and throws what either throws.
    private func atOnce(_ body: @Sendable (ModelContainer) throws -> Void) throws {
        let containers = containers
        let failures = Mutex<[any Error]>([])
        DispatchQueue.concurrentPerform(iterations: containers.count) { i in
            do {
                try body(containers[i])
            } catch {
                failures.withLock { $0.append(error) }
            }
        }
        if let error = failures.withLock({ $0.first }) { throw error }
    }

    private func words() throws -> [String] {
        try ModelContext(containers[0]).fetch(FetchDescriptor<Label>()).map(\.word)
    }

    /// A trip of the first container, saved, and as a context of the second has it.
    private func sharedTrip() throws -> (first: ModelContext, trip: Trip, second: ModelContext, other: Trip) {
        let first = ModelContext(containers[0])
        let trip = Trip(name: "shared")
        first.insert(trip)
        try first.save()
        let second = ModelContext(containers[1])
        return (first, trip, second, try #require(try second.fetch(FetchDescriptor<Trip>()).first))
    }

    @Test func theSameThousandUniqueValuesAreAThousandRows() throws {
        try atOnce { container in
            for start in stride(from: 0, to: 1_000, by: 50) {
                let context = ModelContext(container)
                for i in start..<start + 50 { context.insert(Label(word: "w\(i)")) }
                try context.save()
            }
        }
        let found = try words()
        #expect(found.count == 1_000)
        #expect(Set(found) == Set((0..<1_000).map { "w\($0)" }))
    }

    @Test func theSameImportSubmittedTwiceIsThereOnce() throws {
        try atOnce { container in
            let context = ModelContext(container)
            for i in 0..<500 { context.insert(Label(word: "w\(i)")) }
            try context.save()
        }
        #expect(try words().count == 500)
    }

    /// What one adds, the other has to have read: nothing is lost, and nobody gives up waiting.
    @Test func readingThenWritingLosesNothing() throws {
        let context = ModelContext(containers[0])
        let trip = Trip(name: "shared")
        trip.days = 0
        context.insert(trip)
        try context.save()
        let rounds = 150
        try atOnce { container in
            for _ in 0..<rounds {
                while true {
                    let context = ModelContext(container)
                    let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
                    trip.days += 1
                    do {
                        try context.save()
                        break
                    } catch let error as StoreError where error.code == .versionConflict {
                        continue
                    }
                }
            }
        }
        let fresh = ModelContext(containers[1])
        #expect(try fresh.fetch(FetchDescriptor<Trip>()).map(\.days) == [2 * rounds])
    }

    /// The value is made from what was read; what came since is not overwritten unseen.
    @Test func aSetterDoesNotTakeInWhatCameSinceTheValueWasRead() throws {
        let (first, trip, second, other) = try sharedTrip()
        let read = other.days
        trip.days = 10
        try first.save()
        try containers[1].instance.replay()
        other.days = read + 1
        let error = #expect(throws: StoreError.self) { try second.save() }
        #expect(error?.code == .versionConflict)
        second.rollback()
        #expect(other.days == 10)
    }

    /// News that come in by another object between reading and writing are no reason to overwrite them either.
    @Test func anotherObjectsNewsDoNotHideAConflict() throws {
        let first = ModelContext(containers[0])
        let (trip, neighbour) = (Trip(name: "shared"), Trip(name: "neighbour"))
        trip.days = 1
        first.insert(trip)
        first.insert(neighbour)
        try first.save()
        let second = ModelContext(containers[1])
        let trips = try second.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
        let read = trips[1].days
        trip.days = 10
        try first.save()
        try containers[1].instance.replay()
        #expect(trips[0].name == "neighbour")
        trips[1].days = read + 1
        let error = #expect(throws: StoreError.self) { try second.save() }
        #expect(error?.code == .versionConflict)
    }

    /// After a conflict the changes are given up, and a change that looks at nothing is made against the store's row,
    /// whether or not its news have come.
    @Test func afterAConflictRollbackIsEnough() throws {
        let (first, trip, second, other) = try sharedTrip()
        #expect(other.name == "shared")
        // The container follows by itself, and is mostly slower than this.
        for days in 10...24 {
            trip.days = days
            try first.save()
            other.name = "mine \(days)"
            #expect(throws: StoreError.self) { try second.save() }
            second.rollback()
            other.name = "mine \(days)"
            try second.save()
            #expect(other.days == days)
            try containers[0].instance.replay()
            #expect(trip.name == "mine \(days)")
        }
        let fresh = try #require(try ModelContext(containers[0]).fetch(FetchDescriptor<Trip>()).first)
        #expect(fresh.name == "mine 24" && fresh.days == 24)
    }

    /// Both read the same version; the second save is refused, and the object stays as it was changed.
    @Test func whatSomebodyElseChangedIsAConflict() throws {
        let (first, trip, second, other) = try sharedTrip()
        other.destination = "CH"
        trip.days = 5
        try first.save()
        let error = #expect(throws: StoreError.self) { try second.save() }
        #expect(error?.code == .versionConflict)
        #expect(error?.objects.map(\.object.entity) == ["Trip"])
        #expect(other.destination == "CH" && second.hasChanges)
        second.rollback()
        #expect(!second.hasChanges)
    }

    /// A new item of the trip raises the trip's version, and touches none of its columns.
    @Test func membersThatSomebodyElseAddedAreNoConflict() throws {
        let (first, trip, second, other) = try sharedTrip()
        _ = other.destination
        first.insert(Item(title: "new", trip: trip))
        try first.save()
        other.destination = "CH"
        try second.save()
        let fresh = try #require(try ModelContext(containers[0]).fetch(FetchDescriptor<Trip>()).first)
        #expect(fresh.destination == "CH")
        #expect(fresh.items.map(\.title) == ["new"])
    }

    /// A link of a join table raises the versions of both ends, and touches no column of either.
    @Test func aLinkThatSomebodyElseMadeIsNoConflict() throws {
        let first = ModelContext(containers[0])
        let (item, label) = (Item(title: "Tent"), Label(word: "outdoor"))
        first.insert(item)
        first.insert(label)
        try first.save()
        let second = ModelContext(containers[1])
        let other = try #require(try second.fetch(FetchDescriptor<Item>()).first)
        #expect(other.title == "Tent")
        func versions() throws -> String {
            try Programs.sqlite3(
                folder.file("Trips.store"), "SELECT (SELECT Z_OPT FROM ZITEM), (SELECT Z_OPT FROM ZLABEL)"
            ).output
        }
        #expect(try versions() == "1|1\n")
        item.tags = [label]
        try first.save()
        #expect(try versions() == "2|2\n")
        other.title = "Rope"
        try second.save()
        #expect(try versions() == "3|2\n")
        let fresh = try #require(try ModelContext(containers[1]).fetch(FetchDescriptor<Item>()).first)
        #expect(fresh.title == "Rope")
        #expect(fresh.tags.map(\.word) == ["outdoor"])
    }

    /// Cascades, and all or nothing.
    @Test func deletingByPredicateAppliesTheRules() throws {
        let context = ModelContext(containers[0])
        for name in ["a", "b"] {
            let trip = Trip(name: name)
            context.insert(trip)
            for i in 0..<3 { context.insert(Item(title: "\(name)\(i)", trip: trip)) }
        }
        try context.save()
        try context.delete(model: Trip.self, where: #Predicate { $0.name == "a" })
        try context.save()
        let fresh = ModelContext(containers[1])
        #expect(try fresh.fetch(FetchDescriptor<Trip>()).map(\.name) == ["b"])
        #expect(Set(try fresh.fetch(FetchDescriptor<Item>()).map(\.title)) == ["b0", "b1", "b2"])
        #expect(throws: StoreError.self) {
            try context.delete(model: Trip.self, where: #Predicate { $0.isLong })
        }
        #expect(!context.hasChanges)
        let store = containers[0].instance.store
        #expect(try StoreVerifier.verify(try StoreConnector.connect(store.path, .reader), store: store) == [])
    }

    /// Who deletes goes by what was read: what somebody else has changed since is not gone unseen, by a cascade neither.
    @Test(arguments: [false, true]) func whatSomebodyElseChangedIsNotDeleted(byRule: Bool) throws {
        let first = ModelContext(containers[0])
        let trip = Trip(name: "shared")
        first.insert(trip)
        let item = Item(title: "Tent", trip: trip)
        first.insert(item)
        try first.save()
        let second = ModelContext(containers[1])
        let other = try #require(try second.fetch(FetchDescriptor<Trip>()).first)
        let otherItem = try #require(try second.fetch(FetchDescriptor<Item>()).first)
        #expect(other.days == 1 && otherItem.title == "Tent")
        if byRule { item.title = "Rope" } else { trip.days = 5 }
        try first.save()
        second.delete(other)
        let error = #expect(throws: StoreError.self) { try second.save() }
        #expect(error?.code == .versionConflict)
        #expect(error?.objects.map(\.object.entity) == [byRule ? "Item" : "Trip"])
        let fresh = ModelContext(containers[0])
        #expect(try fresh.fetch(FetchDescriptor<Trip>()).count == 1)
        #expect(try fresh.fetch(FetchDescriptor<Item>()).count == 1)
        second.rollback()
        second.delete(other)
        try second.save()
        #expect(try fresh.fetch(FetchDescriptor<Item>()).isEmpty)
    }

    /// A fetch that finds a changed object again does not make its changes ones of the row that is there now.
    @Test func aFetchDoesNotHideAConflict() throws {
        let first = ModelContext(containers[0])
        let trip = Trip(name: "shared")
        first.insert(trip)
        try first.save()
        let second = ModelContext(containers[1])
        let other = try #require(try second.fetch(FetchDescriptor<Trip>()).first)
        other.days += 1
        trip.days = 10
        try first.save()
        #expect(try second.fetch(FetchDescriptor<Trip>()).first === other)
        #expect(other.days == 2)
        let error = #expect(throws: StoreError.self) { try second.save() }
        #expect(error?.code == .versionConflict)
    }
}
