import Foundation
import SwiftData
import TestKit
import Testing

@ModelActor
actor TripKeeper {
    func add(_ name: String) throws -> PersistentIdentifier {
        let trip = Trip(name: name)
        modelContext.insert(trip)
        try modelContext.save()
        return trip.persistentModelID
    }

    func name(of id: PersistentIdentifier) -> String? { self[id, as: Trip.self]?.name }
}

@Suite struct ModelActorTests {
    @Test func identityGoesBetweenActorsWhereObjectsDoNot() async throws {
        let container = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let id = try await TripKeeper(modelContainer: container).add("Alps")
        #expect(await TripKeeper(modelContainer: container).name(of: id) == "Alps")
        let data = try JSONEncoder().encode(id)
        #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: data) == id)
    }

    @MainActor @Test func mainContextOfAContainerIsAlwaysTheSame() throws {
        let container = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        #expect(container.mainContext === container.mainContext)
        container.mainContext.insert(Trip(name: "Alps"))
        try container.mainContext.save()
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
    }
}
