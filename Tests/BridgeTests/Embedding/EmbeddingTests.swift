import Bridge
import CoreData
import SQLite
import StoreFormat
import SwiftData
import TestKit
import Testing

@Model final class Trip {
    @Attribute(.unique) var name: String
    var days: Int
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

    init(name: String, days: Int) {
        self.name = name
        self.days = days
    }
}

@Model final class Stop {
    var place: String
    var trip: Trip?

    init(place: String) { self.place = place }
}

/// The program of Documentation/Embedding.md: it compiles, is what stands there, and prints what stands there.
@Suite struct EmbeddingTests {
    /// - Returns: the lines that it prints.
    private func example(_ path: String) throws -> [String] {
        var lines: [String] = []
        func print(_ item: Any) { lines.append("\(item)") }

        // The program begins.
        let bridge = try StoreBridge(path: path)

        let url = URL(fileURLWithPath: path)
        let container = NSPersistentContainer(name: "Trips", managedObjectModel: try NSManagedObjectModel(reading: url))
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        container.loadPersistentStores { _, error in
            if let error { print(error) }
        }
        let trips = try ModelContainer(for: Trip.self, Stop.self, configurations: ModelConfiguration(url: url))

        // After an adoption that says nothing else, the legacy stack owns everything.
        let legacy = container.viewContext
        let new = NSEntityDescription.insertNewObject(forEntityName: "Trip", into: legacy)
        new.setValue("Lisbon", forKey: "name")
        new.setValue(5, forKey: "days")
        try legacy.save()
        print("Trip is owned by \(try bridge.unit(of: "Trip").owner)")

        let result = try bridge.handover(
            "Trip", to: .model, reason: "the list of trips is SwiftData's now",
            progress: { step in print("\(step.name): \(step.isPassed ? "ok" : step.detail)") })
        print("\(result?.unit.joined(separator: ", ") ?? ""): owned by \(try bridge.unit(of: "Trip").owner)")

        // Now the model stack saves trips, and the other one learns of it.
        let context = ModelContext(trips)
        let trip = try context.fetch(FetchDescriptor<Trip>())[0]
        trip.days += 1
        try context.save()
        try container.openedInstance().replay()
        print(new.value(forKey: "days") ?? "nothing")

        for problem in bridge.close() { print(problem) }
        // The program ends.
        return lines
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The article's program, and what it prints.
    private func parts() throws -> (program: [Substring], output: [Substring]) {
        let text = try String(
            contentsOf: Self.root.appendingPathComponent("Documentation/Embedding.md"), encoding: .utf8)
        let blocks = text.components(separatedBy: "```")
        let place = try #require(blocks.firstIndex { $0.hasPrefix("swift\n") })
        func lines(_ block: String) -> [Substring] {
            Array(block.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().dropLast())
        }
        let program = lines(blocks[place]).drop { $0.hasPrefix("import ") || $0.isEmpty }
        return (Array(program), lines(blocks[place + 2]))
    }

    @Test("the article's program is the one that is compiled here, and prints what the article says")
    func article() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("Trips.store")
        _ = try ModelContainer(
            for: Trip.self, Stop.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
        let article = try parts()
        #expect(try example(path).map { Substring($0) } == article.output)

        let own = try String(contentsOfFile: #filePath, encoding: .utf8)
        let lines = own.split(separator: "\n", omittingEmptySubsequences: false)
        let begin = try #require(lines.firstIndex { $0.hasSuffix("// The program begins.") })
        let end = try #require(lines.firstIndex { $0.hasSuffix("// The program ends.") })
        // It stands deeper here.
        #expect(lines[(begin + 1)..<end].map { $0.dropFirst(min(8, $0.count)) } == article.program)
    }

    @Test("a container adopts nothing; a bridge does, holds the store's lock while it is open, and gives it back")
    func adoption() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("Trips.store")
        let url = URL(fileURLWithPath: path)
        let trips = try ModelContainer(for: Trip.self, Stop.self, configurations: ModelConfiguration(url: url))
        let context = ModelContext(trips)
        context.insert(Trip(name: "Lisbon", days: 5))
        try context.save()
        func tables() throws -> Int64? {
            let sql = "SELECT count(*) FROM sqlite_master WHERE name LIKE 'COEXIST%'"
            return try StoreConnector.offlineReader(path).scalar(sql)?.integerValue
        }
        #expect(try tables() == 0)
        let bridge = try StoreBridge(path: path)
        #expect(try tables() ?? 0 > 0)
        #expect(throws: StoreError.self) { try StoreBridge(path: path) }
        // No lock keeps a container out; the owner does.
        context.insert(Trip(name: "Porto", days: 2))
        #expect(throws: StoreError.self) { try context.save() }
        #expect(bridge.close() == [])
        #expect(try StoreBridge(path: path).close() == [])
    }
}
