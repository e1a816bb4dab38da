import Foundation
import SQLite
import StoreFormat
import SwiftData
import TestKit
import Testing

/// Deletes through a context, one by one and by predicate, with what their rules take along.
@Suite struct ContextDeleteTests {
    private let sample: TripSample
    private var context: ModelContext { sample.context }

    init() throws { sample = try TripSample() }

    @Test func deletedObjectTakesItsItemsAlong() throws {
        let trip = Trip(name: "Alps")
        let guide = Guide(name: "Ann")
        context.insert(trip)
        trip.items = [Item(title: "Tent"), Item(title: "Rope")]
        trip.guide = guide
        try context.save()
        let other = ModelContext(sample.container)
        other.delete(try #require(try other.fetch(FetchDescriptor<Trip>()).first))
        try other.save()
        #expect(try sample.sql("SELECT count(*) FROM ZITEM") == [[0]])
        #expect(try sample.sql("SELECT Z_OPT FROM ZGUIDE") == [[2]])
        #expect(try sample.sql("SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 2") == [[3]])
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
        #expect(try sample.sql("SELECT ZTITLE FROM ZITEM") == [["b"]])
    }

    @Test func deleteByPredicateRemovesTheExternalFiles() throws {
        for name in ["a", "b", "c"] {
            let trip = Trip(name: name)
            trip.photo = Data(repeating: 1, count: 200_000)
            context.insert(trip)
        }
        try context.save()
        let files = ExternalData(storePath: sample.path).folder
        #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 3)
        try context.delete(model: Trip.self)
        try context.save()
        #expect(try sample.sql("SELECT count(*) FROM ZTRIP") == [[0]])
        #expect(try FileManager.default.contentsOfDirectory(atPath: files) == [])
    }

    @Test func deleteByPredicateThatLeavesAMandatoryInverseEmptyIsRefusedWhole() throws {
        let path = sample.folder.file("Chats.store")
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
