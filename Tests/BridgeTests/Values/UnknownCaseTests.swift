import Foundation
import ModelStack
import StoreFormat
import TestKit
import Testing

@Model private final class Shipment {
    var note: String = ""
    var sizes: [Size] = [Size.small]
    var parts: [Part] = []
    var moods: [String: Mood] = [:]
    var events: Set<Event>?
    var spot: Spot = Spot(name: "home", height: 1)

    init() {}
}

/// Cases that a later version of the program wrote, in collections and structures: the same typed error as for one alone, of
/// that property of that object only, and nothing of them is lost.
@Suite struct UnknownCaseTests {
    private struct Plant: Sendable {
        var column: String
        var json: String
        /// What stands in the column: an archive of the JSON, or the JSON itself.
        var isArchive = true
        var key: String
        var message: String
    }

    private static let plants = [
        Plant(
            column: "ZSIZES", json: #"["small","huge"]"#, key: "sizes",
            message: "Shipment/1.sizes[1] holds the text 'huge', which is no case of Size"),
        Plant(
            column: "ZPARTS", json: #"[{"name":"a","size":"huge","event":{"none":{}},"tags":[]}]"#, key: "parts",
            message: "Shipment/1.parts[0].size holds the text 'huge', which is no case of Size"),
        Plant(
            column: "ZMOODS", json: #"{"today":{"angry":{}}}"#, key: "moods",
            message: #"Shipment/1.moods.today holds the text '{"angry":{}}', which is no case of Mood"#),
        Plant(
            column: "ZEVENTS", json: #"[{"none":{}},{"stolen":{"by":"x"}}]"#, key: "events",
            message: #"Shipment/1.events[1] holds the text '{"stolen":{"by":"x"}}', which is no case of Event"#),
        Plant(
            column: "ZEVENTS1", json: #"[{"stolen":{}}]"#, isArchive: false, key: "spot",
            message: #"Shipment/1.spot.events[0] holds the text '{"stolen":{}}', which is no case of Event"#),
    ]

    private func open(_ path: String) throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: Shipment.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path))))
    }

    private func bytes(_ path: String, _ column: String) throws -> String {
        try Programs.sqlite3(path, "SELECT hex(\(column)) FROM ZSHIPMENT WHERE Z_PK = 1").output
    }

    private func fault(_ shipment: Shipment, _ key: String) -> StoreError? {
        do {
            switch key {
            case "sizes": _ = try shipment.checkedValue(\.sizes)
            case "parts": _ = try shipment.checkedValue(\.parts)
            case "moods": _ = try shipment.checkedValue(\.moods)
            case "events": _ = try shipment.checkedValue(\.events)
            default: _ = try shipment.checkedValue(\.spot)
            }
            return nil
        } catch {
            return error as? StoreError
        }
    }

    private func made(_ folder: TemporaryFolder) throws -> String {
        let path = folder.file("Shipments.store")
        let writing = try open(path)
        for _ in 1...2 { writing.insert(Shipment()) }
        try writing.save()
        return path
    }

    @Test(arguments: plants.indices)
    func isATypedErrorOfThatPropertyAndKeepsItsBytes(_ index: Int) throws {
        let plant = Self.plants[index]
        let folder = try TemporaryFolder()
        let path = try made(folder)
        let json = Data(plant.json.utf8)
        let planted = plant.isArchive ? try ArchivedJSON.archive(json) : json
        let hex = planted.map { String(format: "%02X", $0) }.joined()
        let update = try Programs.sqlite3(path, "UPDATE ZSHIPMENT SET \(plant.column) = x'\(hex)' WHERE Z_PK = 1")
        #expect(update.exitCode == 0, "\(update.errors)")
        let context = try open(path)
        let found = try context.fetch(FetchDescriptor<Shipment>()).sorted {
            $0.persistentModelID.id < $1.persistentModelID.id
        }
        try #require(found.count == 2)
        #expect(found[0].valueFaults.map(\.code) == [.invalidRawValue])
        #expect(found[0].valueFaults.first?.message == plant.message)
        #expect(fault(found[0], plant.key) == found[0].valueFaults.first)
        #expect(found[1].valueFaults == [])
        // Reading shows some value, and a save of another property writes none of it.
        #expect(found[0].parts == [] && found[0].moods.isEmpty && found[0].spot.height == 1)
        found[0].note = "changed"
        try context.save()
        #expect(try bytes(path, plant.column) == hex + "\n")
        #expect(try Programs.sqlite3(path, "SELECT ZNOTE FROM ZSHIPMENT WHERE Z_PK = 1").output == "changed\n")
        // Until it is set.
        found[0].sizes = [.large]
        found[0].parts = []
        found[0].moods = ["today": .calm]
        found[0].events = [.none]
        found[0].spot = Spot(name: "away", height: 2)
        try context.save()
        #expect(found[0].valueFaults == [])
        #expect(try open(path).fetch(FetchDescriptor<Shipment>()).allSatisfy { $0.valueFaults.isEmpty })
    }

    @Test func whatIsNoCollectionAtAllIsAnInvalidValue() throws {
        let folder = try TemporaryFolder()
        let path = try made(folder)
        for json in ["{\"a\":1}", "[1.5]", "3"] {
            let hex = try ArchivedJSON.archive(Data(json.utf8)).map { String(format: "%02X", $0) }.joined()
            _ = try Programs.sqlite3(path, "UPDATE ZSHIPMENT SET ZPARTS = x'\(hex)' WHERE Z_PK = 1")
            let found = try #require(
                try open(path).fetch(FetchDescriptor<Shipment>()).first { !$0.valueFaults.isEmpty })
            #expect(found.valueFaults.map(\.code) == [.invalidValue], "\(json)")
        }
    }
}
