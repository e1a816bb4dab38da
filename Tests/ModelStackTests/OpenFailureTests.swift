import Foundation
import StoreFormat
import SwiftData
import TestKit
import Testing

/// What a container does where its store cannot be opened, or is taken away: it says so, and leaves what is there.
@Suite struct OpenFailureTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("trips.store") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(_ change: (inout ModelConfiguration) -> Void = { _ in }) throws -> ModelContainer {
        var configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
        change(&configuration)
        return try ModelContainer(
            for: Trip.self, Item.self, Label.self, Guide.self, configurations: configuration)
    }

    private func expect(
        _ code: StoreError.Code, _ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) {
        let error = #expect(throws: StoreError.self, sourceLocation: location) { try body() }
        #expect(error?.code == code, sourceLocation: location)
    }

    @Test(arguments: [("", StoreError.Code.empty), ("some text", .notADatabase)])
    func whatIsNoStoreStays(text: String, code: StoreError.Code) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        expect(code) { _ = try open() }
        #expect(FileManager.default.contents(atPath: path) == Data(text.utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["trips.store"])
    }

    @Test func aLinkThatLeadsNowhereIsNotFilled() throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("nowhere"))
        expect(.notFound) { _ = try open() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["trips.store"])
    }

    @Test func aStoreOfAnotherModelStays() throws {
        try StoreCreator.create(path, model: SampleModels.library)
        let bytes = FileManager.default.contents(atPath: path)
        expect(.schemaMismatch) { _ = try open() }
        #expect(FileManager.default.contents(atPath: path) == bytes)
    }

    @Test func objectsOfAStoreThatWasReplacedAreNotShown() throws {
        let container = try open()
        let context = ModelContext(container)
        let trip = Trip(name: "old")
        context.insert(trip)
        try context.save()
        let reference = ObjectReference(entity: "Trip", key: 1)
        #expect(try container.instance.object(reference, isFresh: false) != nil)
        let other = folder.file("other.store")
        try StoreCreator.create(other, model: container.instance.store.model)
        #expect(rename(other, path) == 0)
        expect(.storeReplaced) { _ = try container.instance.object(reference, isFresh: false) }
        expect(.storeReplaced) { _ = try ModelContext(container).fetch(FetchDescriptor<Trip>()) }
        expect(.storeReplaced) {
            trip.name = "new"
            try context.save()
        }
    }

    @Test func aTrackedStoreWithTrackingOffIsReadOnly() throws {
        do { _ = try open() }
        let bytes = FileManager.default.contents(atPath: path)
        let container = try open { $0.options.isTracking = false }
        #expect(container.instance.readOnlyReason?.contains("history tracking off") == true)
        let context = ModelContext(container)
        context.insert(Trip(name: "new"))
        expect(.readOnly) { try context.save() }
        #expect(FileManager.default.contents(atPath: path) == bytes)
    }
}
