import Foundation
import StoreFormat
import StoreModel
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

    @Test func aStoreWhoseEndIsCutOffStays() throws {
        do { try open().instance.close() }
        let bytes = try #require(FileManager.default.contents(atPath: path)).prefix(30_000)
        try bytes.write(to: URL(fileURLWithPath: path))
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        expect(.damaged) { _ = try open() }
        #expect(FileManager.default.contents(atPath: path) == bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["trips.store"])
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
        try makeHistory()
        let bytes = FileManager.default.contents(atPath: path)
        let container = try open { $0.options.isTracking = false }
        #expect(container.instance.readOnlyReason?.contains("history tracking off") == true)
        let context = ModelContext(container)
        context.insert(Trip(name: "new"))
        expect(.readOnly) { try context.save() }
        #expect(FileManager.default.contents(atPath: path) == bytes)
    }

    /// A store with one trip, and a transaction that says so.
    private func makeHistory() throws {
        let container = try open()
        let context = ModelContext(container)
        context.insert(Trip(name: "old"))
        try context.save()
        container.instance.close()
        // All of it in the file itself, whose bytes are compared.
        #expect(try StoreConnector.connect(path, .writer(.normal)).checkpoint(.truncate).isComplete)
    }

    /// A history that was purged whole tells nobody anything, and a save without history goes past nobody.
    @Test func withAnEmptyHistoryAStoreIsWritableWithTrackingOff() throws {
        try makeHistory()
        let purge = "DELETE FROM ACHANGE; DELETE FROM ATRANSACTION; DELETE FROM ATRANSACTIONSTRING"
        try StoreConnector.connect(path, .writer(.normal)).execute(purge)
        let container = try open { $0.options.isTracking = false }
        #expect(container.instance.readOnlyReason == nil)
        let context = ModelContext(container)
        context.insert(Trip(name: "new"))
        try context.save()
        let rows = """
            SELECT (SELECT group_concat(ZNAME) FROM (SELECT ZNAME FROM ZTRIP ORDER BY Z_PK)), (SELECT count(*) FROM ACHANGE)
            """
        #expect(try Programs.sqlite3(path, rows).output == "old,new|0\n")
        // Somebody else begins a history: from then on it is not gone past.
        let other = ModelContext(try open())
        other.insert(Trip(name: "tracked"))
        try other.save()
        context.insert(Trip(name: "late"))
        expect(.readOnly) { try context.save() }
        #expect(try Programs.sqlite3(path, rows).output == "old,new,tracked|1\n")
    }

    /// A trip that somebody else changed after it was read.
    private func outdated() throws -> (Trip, ModelDescription) {
        try makeHistory()
        let container = try open()
        let context = ModelContext(container)
        let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
        trip.guide = Guide(name: "Ann")
        try context.save()
        let reader = try open()
        let read = try #require(try ModelContext(reader).fetch(FetchDescriptor<Trip>()).first)
        trip.destination = "Bern"
        try context.save()
        let history = HistoryReader(try StoreConnector.connect(path, .reader), store: reader.instance.store)
        try reader.instance.apply(history.transactions(after: reader.instance.position))
        return (read, reader.instance.store.model)
    }

    /// A row that somebody else changed is read anew; where that cannot be done, the value as it was is no answer.
    @Test func anObjectWhoseRowCannotBeReadAnyMoreSaysSo() throws {
        // With their containers both stores are closed.
        let (read, old) = try outdated()
        var model = old
        let place = try #require(model.entities.firstIndex { $0.name == "Trip" })
        model.entities[place].attributes.append(AttributeDescription(name: "blurb", type: .string, isOptional: true))
        try StoreMigrator(path, to: model).migrate()
        #expect(throws: StoreError.self) { _ = try read.checkedValue(\.destination) }
        #expect(throws: StoreError.self) { _ = try read.checkedValue(\.budget) }
        #expect(throws: StoreError.self) { _ = try read.checkedValue(\.guide) }
        #expect(read.valueFaults.count == 1)
    }

    @Test func anIdentityOfTheFileBeforeIsRefused() throws {
        let old = try open()
        let context = ModelContext(old)
        let trip = Trip(name: "old")
        context.insert(trip)
        try context.save()
        let id = trip.persistentModelID
        old.instance.close()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        let new = ModelContext(try open())
        let other = Trip(name: "new")
        new.insert(other)
        try new.save()
        // The same entity and key, and another object.
        #expect(other.persistentModelID.reference == id.reference)
        expect(.otherStore) { let _: Trip? = try new.existingModel(for: id) }
        let registered: Trip? = new.registeredModel(for: id)
        #expect(registered == nil)
        #expect(new[id, as: Trip.self] == nil)
    }

    /// The class' name is no part of the stored form, its entity's is.
    @Test func aStoreOfAnotherClassWithTheSameEntityOpens() throws {
        let configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
        do {
            let container = try ModelContainer(for: Mail.Letter.self, configurations: configuration)
            let context = ModelContext(container)
            context.insert(Mail.Letter(text: "x"))
            try context.save()
            container.instance.close()
        }
        let bytes = FileManager.default.contents(atPath: path)
        let container = try ModelContainer(for: Post.Letter.self, configurations: configuration)
        #expect(try ModelContext(container).fetch(FetchDescriptor<Post.Letter>()).map(\.text) == ["x"])
        #expect(FileManager.default.contents(atPath: path) == bytes)
    }
}

private enum Mail {
    @Model final class Letter {
        var text: String
        init(text: String) { self.text = text }
    }
}

private enum Post {
    @Model final class Letter {
        var text: String
        init(text: String) { self.text = text }
    }
}
