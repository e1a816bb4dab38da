import Foundation
import StoreFormat
import SwiftData
import TestKit
import Testing

@Suite struct PredicateTests {
    private let folder: TemporaryFolder
    private let context: ModelContext

    init() throws {
        folder = try TemporaryFolder()
        let url = URL(fileURLWithPath: folder.file("Trips.store"))
        let container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url))
        context = ModelContext(container)
        let guide = Guide(name: "Ann")
        for (i, name) in ["Alps", "Bern", "Città", "Oslo 10", "Oslo 9"].enumerated() {
            let trip = Trip(
                name: name, destination: i < 3 ? "CH" : "NO", start: Date(timeIntervalSinceReferenceDate: Double(i)))
            trip.days = i * 3
            if i > 0 { trip.budget = Double(i) * 100 }
            if i == 2 { trip.kind = .business }
            if i > 2 { trip.address = Trip.Address(street: "S\(i)", number: i) }
            context.insert(trip)
            for k in 0..<i { trip.items.append(Item(title: "\(name) \(k)", weight: k)) }
            if i % 2 == 1 { trip.guide = guide }
        }
        try context.save()
    }

    private func names(_ predicate: Predicate<Trip>) throws -> [String] {
        // As SQL finds them, and as the closure does in memory.
        let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.start)])).map(
            \.name)
        let all = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.start)]))
        let expected = try all.filter { try predicate.evaluate($0) }.map(\.name)
        #expect(found == expected)
        return found
    }

    @Test func comparisonsAndLogic() throws {
        let limit = 6
        #expect(try names(#Predicate { $0.days > limit }) == ["Oslo 10", "Oslo 9"])
        #expect(try names(#Predicate { $0.days >= 3 && $0.destination == "CH" }) == ["Bern", "Città"])
        #expect(
            try names(#Predicate { !($0.destination == "CH") || $0.name == "Alps" }) == ["Alps", "Oslo 10", "Oslo 9"])
        #expect(try names(#Predicate { $0.days % 2 == 0 && $0.days + 1 < 8 }) == ["Alps", "Città"])
        #expect(try names(#Predicate { (3...6).contains($0.days) }) == ["Bern", "Città"])
    }

    @Test func optionals() throws {
        #expect(try names(#Predicate { $0.budget == nil }) == ["Alps"])
        #expect(try names(#Predicate { $0.budget != 100 }) == ["Alps", "Città", "Oslo 10", "Oslo 9"])
        #expect(try names(#Predicate { ($0.budget ?? 0) < 150 }) == ["Alps", "Bern"])
        #expect(try names(#Predicate { !($0.budget == 100) }) == ["Alps", "Città", "Oslo 10", "Oslo 9"])
        #expect(try names(#Predicate { $0.guide?.name == "Ann" }) == ["Bern", "Oslo 10"])
        #expect(try names(#Predicate { $0.guide?.name != "Ann" }) == ["Alps", "Città", "Oslo 9"])
        #expect(try names(#Predicate { $0.guide == nil }) == ["Alps", "Città", "Oslo 9"])
        #expect(try names(#Predicate { $0.budget.flatMap { $0 > 250 } ?? true }) == ["Alps", "Oslo 10", "Oslo 9"])
        #expect(
            try names(#Predicate { trip in if let budget = trip.budget { budget > 250 } else { false } })
                == ["Oslo 10", "Oslo 9"])
    }

    @Test func texts() throws {
        #expect(try names(#Predicate { $0.name.contains("s") }) == ["Alps", "Oslo 10", "Oslo 9"])
        #expect(try names(#Predicate { $0.name.starts(with: "Oslo") }) == ["Oslo 10", "Oslo 9"])
        #expect(try names(#Predicate { $0.name.localizedStandardContains("CITTA") }) == ["Città"])
        #expect(try names(#Predicate { $0.name.isEmpty }) == [])
        #expect(try names(#Predicate { $0.name.count == 4 }) == ["Alps", "Bern"])
    }

    @Test func lists() throws {
        let wanted = ["Bern", "Alps", "x"]
        #expect(try names(#Predicate { wanted.contains($0.name) }) == ["Alps", "Bern"])
        #expect(try names(#Predicate { !wanted.contains($0.name) }) == ["Città", "Oslo 10", "Oslo 9"])
    }

    @Test func toMany() throws {
        #expect(try names(#Predicate { $0.items.isEmpty }) == ["Alps"])
        #expect(try names(#Predicate { $0.items.isEmpty == false }) == ["Bern", "Città", "Oslo 10", "Oslo 9"])
        #expect(try names(#Predicate { $0.items.count > 2 }) == ["Oslo 10", "Oslo 9"])
        #expect(try names(#Predicate { $0.items.contains { $0.weight == 2 } }) == ["Oslo 10", "Oslo 9"])
        #expect(try names(#Predicate { $0.items.filter { $0.weight > 0 }.count == 1 }) == ["Città"])
        #expect(try names(#Predicate { $0.items.allSatisfy { $0.weight < 2 } }) == ["Alps", "Bern", "Città"])
    }

    @Test func identities() throws {
        let guide = try #require(try context.fetch(FetchDescriptor<Guide>()).first)
        let id = guide.persistentModelID
        #expect(try names(#Predicate { $0.guide?.persistentModelID == id }) == ["Bern", "Oslo 10"])
        let trip = try #require(
            try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Bern" })).first)
        let own = trip.persistentModelID
        #expect(try names(#Predicate { $0.persistentModelID == own }) == ["Bern"])
    }

    @Test func codableValues() throws {
        let kind = Trip.Kind.business
        #expect(try names(#Predicate { $0.kind == kind }) == ["Città"])
        #expect(try names(#Predicate { $0.kind.rawValue == "holiday" }) == ["Alps", "Bern", "Oslo 10", "Oslo 9"])
        #expect(try names(#Predicate { $0.address == nil }) == ["Alps", "Bern", "Città"])
        #expect(try names(#Predicate { $0.address?.street == "S3" }) == ["Oslo 10"])
    }

    @Test func standardSortPutsNumbersByValue() throws {
        let descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name, order: .reverse)])
        #expect(try context.fetch(descriptor).map(\.name) == ["Oslo 10", "Oslo 9", "Città", "Bern", "Alps"])
    }

    @Test func computedPropertyIsRefusedByName() throws {
        let error = #expect(throws: StoreError.self) {
            try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.isLong }))
        }
        #expect(error?.code == .unknownKey)
        let list = #expect(throws: StoreError.self) {
            try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.notes.contains("a") }))
        }
        #expect(list?.code == .badPredicate)
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 5)
    }
}
