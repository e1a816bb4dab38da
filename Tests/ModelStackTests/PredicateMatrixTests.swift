import StoreFormat
import SwiftData
import TestKit
import Testing

/// What `#Predicate` can say: SQL finds the objects that Foundation finds in memory, or the fetch is a typed error.
struct PredicateMatrixTests {
    private let folder: TemporaryFolder
    private let context: ModelContext

    /// Trips a to f; d has no guide, e's guide has no other trip, f has neither budget nor items.
    init() throws {
        folder = try TemporaryFolder()
        let configuration = ModelConfiguration(url: URL(fileURLWithPath: folder.file("Trips.store")))
        let container = try ModelContainer(
            for: Trip.self, Item.self, Label.self, Guide.self, configurations: configuration)
        context = ModelContext(container)
        let guides = ["Ann", "Bob"].map { Guide(name: $0) }
        let labels = ["new", "old"].map { Label(word: $0) }
        for (i, name) in ["a", "B", "été", "Zoë", "", "f"].enumerated() {
            let trip = Trip(
                name: name, destination: i < 3 ? "CH" : "ch", start: Date(timeIntervalSinceReferenceDate: Double(i)),
                code: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(i))))
            trip.days = [0, -1, 3, 7, .max, 2][i]
            if i < 5 { trip.budget = [0, -2.5, 100, 1e300, 3][i] }
            trip.kind = i % 2 == 0 ? .business : .holiday
            if i == 1 { trip.address = Trip.Address(street: "S", number: 4) }
            if i == 2 { trip.address = Trip.Address(street: "S", number: nil) }
            if i < 3 { trip.guide = guides[0] } else if i == 4 { trip.guide = guides[1] }
            context.insert(trip)
            for k in 0..<(i == 5 ? 0 : i) {
                let item = Item(title: "item \(k)", weight: k, trip: trip)
                item.isPacked = k == 1
                item.tags = k == 0 ? [labels[i % 2]] : []
                context.insert(item)
            }
        }
        context.insert(Item(title: "loose", weight: -1))
        try context.save()
    }

    private func found<T: PersistentModel>(_ predicate: Predicate<T>, _ location: SourceLocation = #_sourceLocation)
        throws -> Set<PersistentIdentifier>
    {
        let fetched = Set(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.persistentModelID))
        let all = try context.fetch(FetchDescriptor<T>())
        let expected = Set(try all.filter { try predicate.evaluate($0) }.map(\.persistentModelID))
        #expect(fetched == expected, sourceLocation: location)
        return fetched
    }

    private func names(_ predicate: Predicate<Trip>, _ location: SourceLocation = #_sourceLocation) throws -> [String] {
        let ids = try found(predicate, location)
        return try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.start)]))
            .filter { ids.contains($0.persistentModelID) }.map(\.name)
    }

    @Test func texts() throws {
        #expect(try names(#Predicate { $0.name < "a" }) == ["B", "Zoë", ""])
        #expect(try names(#Predicate { $0.name >= "f" }) == ["été", "f"])
        #expect(try names(#Predicate { $0.name.contains("t") }) == ["été"])
        #expect(try names(#Predicate { $0.name.contains("") }).count == 6)
        #expect(try names(#Predicate { $0.name.starts(with: "é") }) == ["été"])
        #expect(try names(#Predicate { $0.name.starts(with: "") }).count == 6)
        #expect(try names(#Predicate { $0.name.localizedStandardContains("ETE") }) == ["été"])
        #expect(try names(#Predicate { $0.name.localizedStandardContains("zoe") }) == ["Zoë"])
        #expect(try names(#Predicate { $0.name.count == 3 }) == ["été", "Zoë"])
        #expect(try names(#Predicate { ["a", "B"].contains($0.name) }) == ["a", "B"])
    }

    /// The names, or nil where the fetch is refused as one that has no SQL.
    private func names(_ predicate: Predicate<Trip>, mayRefuse: Bool) throws -> [String]? {
        do {
            return try names(predicate)
        } catch let error as StoreError where error.code == .badPredicate || error.code == .unknownKey {
            // The context is as good as before.
            #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 6)
            return nil
        }
    }

    @Test func numbers() throws {
        let zero = 0
        #expect(try names(#Predicate { $0.days < 100 && $0.days + 1 == 1 }) == ["a"])
        #expect(try names(#Predicate { $0.days < 100 && $0.days * $0.days == 9 }) == ["été"])
        #expect(try names(#Predicate { $0.days / 2 == 1 }) == ["été", "f"])
        #expect(try names(#Predicate { $0.days % 2 == -1 }) == ["B"])
        #expect(try names(#Predicate { -$0.days == 1 }) == ["B"])
        #expect(try names(#Predicate { ($0.budget ?? 0) / 2 == 50 }) == ["été"])
        // Swift divides by a floating zero.
        let none = 0.0
        #expect(try names(#Predicate { ($0.budget ?? 1) / none > 1 }) == ["été", "Zoë", "", "f"])
        #expect(try names(#Predicate { ($0.budget ?? 1) / none < 1 }) == ["B"])
        // In memory these would stop the program; in SQL such a row has no value.
        #expect(try context.fetchCount(FetchDescriptor<Trip>(predicate: #Predicate { $0.days / zero == 1 })) == 0)
        #expect(try context.fetchCount(FetchDescriptor<Trip>(predicate: #Predicate { $0.days % zero == 1 })) == 0)
        #expect(try context.fetchCount(FetchDescriptor<Trip>(predicate: #Predicate { $0.days + 1 < 0 })) == 0)
    }

    @Test func ranges() throws {
        let closed = 0...3
        let from = 3...
        let dates = Date(timeIntervalSinceReferenceDate: 1)..<Date(timeIntervalSinceReferenceDate: 3)
        #expect(try names(#Predicate { closed.contains($0.days) }) == ["a", "été", "f"])
        #expect(try names(#Predicate { (0..<3).contains($0.days) }) == ["a", "f"])
        #expect(try names(#Predicate { from.contains($0.days) }) == ["été", "Zoë", ""])
        #expect(try names(#Predicate { dates.contains($0.start) }) == ["B", "été"])
        #expect(try names(#Predicate { $0.days > 0 }) == ["été", "Zoë", "", "f"])
        #expect(try names(#Predicate { $0.days < 7 && ($0.days...7).contains(2) }) == ["a", "B", "f"])
    }

    @Test func optionals() throws {
        #expect(try names(#Predicate { $0.budget == nil }) == ["f"])
        #expect(try names(#Predicate { $0.budget != nil }).count == 5)
        #expect(try names(#Predicate { $0.budget ?? -1 < 0 }) == ["B", "f"])
        #expect(try names(#Predicate { $0.budget.flatMap { $0 < 0 } == true }) == ["B"])
        #expect(try names(#Predicate { $0.budget.flatMap { $0 < 0 } != true }) == ["a", "été", "Zoë", "", "f"])
        #expect(try names(#Predicate { $0.budget.flatMap { $0 < 0 } == nil }) == ["f"])
        #expect(try names(#Predicate { $0.guide?.name == "Ann" }) == ["a", "B", "été"])
        #expect(try names(#Predicate { $0.guide?.name != "Ann" }) == ["Zoë", "", "f"])
        #expect(try names(#Predicate { $0.guide?.name == nil }) == ["Zoë", "f"])
        #expect(try names(#Predicate { $0.guide?.name.contains("nn") ?? true }) == ["a", "B", "été", "Zoë", "f"])
        #expect(try names(#Predicate { ($0.guide?.name.isEmpty) ?? true }) == ["Zoë", "f"])
        #expect(try names(#Predicate { $0.address?.number == 4 }) == ["B"])
        #expect(try names(#Predicate { $0.address?.number == nil && $0.address != nil }) == ["été"])
        let limit: Double? = nil
        #expect(try names(#Predicate { $0.budget == limit }) == ["f"])
        let wanted: [Double?] = [nil, 100]
        #expect(try names(#Predicate { wanted.contains($0.budget) }) == ["été", "f"])
        #expect(
            try names(#Predicate { trip in if let budget = trip.budget { budget == 3 } else { trip.days == 2 } })
                == ["", "f"])
    }

    /// Nothing at the first step, or at the second.
    @Test func severalSteps() throws {
        let ann = try #require(
            try context.fetch(FetchDescriptor<Guide>(predicate: #Predicate { $0.name == "Ann" })).first)
        let id = ann.persistentModelID
        #expect(try found(#Predicate<Item> { $0.trip?.guide?.persistentModelID == id }).count == 3)
        #expect(try found(#Predicate<Item> { $0.trip?.guide?.persistentModelID != id }).count == 8)
        #expect(try found(#Predicate<Item> { $0.trip?.guide == nil }).count == 4)
        #expect(try found(#Predicate<Item> { $0.trip?.guide?.name.starts(with: "A") ?? false }).count == 3)
        #expect(try found(#Predicate<Item> { $0.trip?.items.count == 2 }).count == 2)
        #expect(try found(#Predicate<Item> { $0.trip == nil }).count == 1)
    }

    @Test func collections() throws {
        let one = 1
        #expect(try names(#Predicate { $0.items.isEmpty }) == ["a", "f"])
        #expect(try names(#Predicate { !$0.items.isEmpty }) == names(#Predicate { $0.items.isEmpty == false }))
        #expect(try names(#Predicate { $0.items.count >= 3 }) == ["Zoë", ""])
        #expect(try names(#Predicate { $0.items.contains { $0.weight > one } }) == ["Zoë", ""])
        #expect(try names(#Predicate { $0.items.allSatisfy { $0.weight == 0 } }) == ["a", "B", "f"])
        #expect(try names(#Predicate { $0.items.filter { $0.isPacked }.count == 1 }) == ["été", "Zoë", ""])
        #expect(try names(#Predicate { $0.items.filter { $0.isPacked }.isEmpty }) == ["a", "B", "f"])
        #expect(
            try names(#Predicate { $0.items.filter { $0.weight > 0 }.contains { $0.title == "item 2" } })
                == ["Zoë", ""])
        #expect(
            try names(#Predicate { $0.items.filter { $0.weight > 0 }.allSatisfy { $0.isPacked } })
                == ["a", "B", "été", "f"])
        #expect(try names(#Predicate { $0.items.contains { $0.tags.contains { $0.word == "old" } } }) == ["B", "Zoë"])
        #expect(try names(#Predicate { trip in trip.items.contains { $0.weight == trip.days } }) == [])
        #expect(try found(#Predicate<Guide> { ($0.trips?.count ?? 0) > 1 }).count == 1)
        #expect(try found(#Predicate<Guide> { $0.trips?.contains { $0.name == "a" } == true }).count == 1)
        #expect(try found(#Predicate<Guide> { $0.trips?.isEmpty == false }).count == 2)
    }

    @Test func capturedLists() throws {
        let long = (0..<40_000).map { "no \($0)" } + ["été"]
        #expect(try names(#Predicate { long.contains($0.name) }) == ["été"])
        let ids = Set(try context.fetch(FetchDescriptor<Trip>()).filter { $0.days == 3 }.map(\.persistentModelID))
        #expect(try names(#Predicate { ids.contains($0.persistentModelID) }) == ["été"])
        let none: [String] = []
        #expect(try names(#Predicate { none.contains($0.name) }) == [])
        let codes = [UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))]
        #expect(try names(#Predicate { codes.contains($0.code) }) == ["B"])
    }

    @Test func enumerationsByTheirRawValue() throws {
        let business = Trip.Kind.business
        #expect(try names(#Predicate { $0.kind == business }) == ["a", "été", ""])
        #expect(try names(#Predicate { $0.kind != business }) == ["B", "Zoë", "f"])
        #expect(try names(#Predicate { $0.kind.rawValue == "holiday" }) == ["B", "Zoë", "f"])
        #expect(try names(#Predicate { $0.kind.rawValue.starts(with: "b") }) == ["a", "été", ""])
        let kinds = [Trip.Kind.holiday]
        #expect(try names(#Predicate { kinds.contains($0.kind) }) == ["B", "Zoë", "f"])
    }

    /// What has no SQL is a typed error that names the part, and the context goes on.
    @Test func whatHasNoSQLIsRefused() throws {
        let refused: [Predicate<Trip>] = [
            #Predicate { $0.isLong }, #Predicate { $0.isOpen }, #Predicate { $0.notes.contains("x") },
            #Predicate { $0.notes.isEmpty }, #Predicate { $0.items[0].weight == 1 },
            #Predicate { ($0.days as Any) is Int },
            #Predicate { ($0.days as Any) as? String == "x" },
        ]
        for predicate in refused { #expect(try names(predicate, mayRefuse: true) == nil, "\(predicate)") }
    }
}
