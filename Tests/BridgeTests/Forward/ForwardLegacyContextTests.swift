import Bridge
import Foundation
import LegacyStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// A legacy context that was opened before a handover, whose changes the model stack then saves.
@Suite struct ForwardLegacyContextTests {
    private let sample: BridgeSample
    private let bridge: StoreBridge
    /// Another program's stack.
    private let embedded: LegacyInstance
    private let context: NSManagedObjectContext

    init() throws {
        sample = try BridgeSample()
        bridge = try sample.open()
        for title in ["Emma", "Persuasion", "Sanditon"] {
            try bridge.legacy.insert("Book", ["title": .string(title), "pages": .integer(300)])
        }
        try bridge.legacy.insert("Tag", ["name": .string("novel")])
        embedded = try LegacyInstance(path: sample.path)
        context = embedded.newContext()
        context.transactionAuthor = "importer"
        context.name = "night run"
    }

    private func handOver() throws {
        for entity in ["Book", "Tag"] { _ = try bridge.handover(entity, to: .model) }
    }

    private func objects(_ entity: String) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: entity == "Tag" ? "name" : "title", ascending: true)]
        return try context.fetch(request)
    }

    private func refused() throws {
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .ownershipViolation)
        #expect(context.hasChanges)
    }

    @Test("inserts, updates, deletes and relationships are saved by the owner, and the context goes on")
    func everything() throws {
        defer { bridge.close() }
        let books = try objects("Book")
        let old = try #require(try objects("Tag").first)
        let new = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        new.setValue("late", forKey: "name")
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
        let cover = Data(repeating: 7, count: 200_000)
        book.setValuesForKeys(["title": "Lady Susan", "pages": 80, "cover": cover, "rating": 4.5])
        book.setValue(NSSet(array: [old, new]), forKey: "tags")
        books[0].setValue(475, forKey: "pages")
        context.delete(books[1])
        try handOver()
        try refused()

        let number = try #require(try bridge.forward(pending: context))

        #expect(!context.hasChanges)
        #expect(
            try sample.rows(
                "SELECT STACK, INSTANCE, EPOCHS, CAUSE FROM COEXIST_TRANSACTION WHERE NUMBER = \(number)")
                == [[.text("model"), .text(bridge.model.instanceName), .text("Book=2\nTag=2"), .null]])
        #expect(
            try bridge.read { try HistoryReader($0, store: bridge.store).heading(of: number)?.author } == "importer")
        #expect(
            try sample.rows("SELECT ZTITLE, ZPAGES, ZRATING FROM ZBOOK ORDER BY Z_PK") == [
                [.text("Emma"), .integer(475), .null], [.text("Sanditon"), .integer(300), .null],
                [.text("Lady Susan"), .integer(80), .real(4.5)],
            ])
        #expect(try sample.rows("SELECT ZNAME FROM ZTAG ORDER BY Z_PK") == [[.text("novel")], [.text("late")]])
        // The context's objects are the saved ones.
        #expect(!book.objectID.isTemporaryID && !new.objectID.isTemporaryID)
        #expect(book.value(forKey: "title") as? String == "Lady Susan")
        #expect(book.value(forKey: "cover") as? Data == cover)
        #expect((book.value(forKey: "tags") as? Set<NSManagedObject>) == [old, new])
        #expect(try objects("Book").map { $0.value(forKey: "title") as? String } == ["Emma", "Lady Susan", "Sanditon"])
        #expect(try sample.violations() == [])
        #expect(try Audit.run(Store.open(sample.path)).violations == [])
        // What it changes next is refused as before, and goes the same way.
        book.setValue(81, forKey: "pages")
        try refused()
        #expect(try bridge.model.forward(pending: context) == number + 1)
        #expect(book.value(forKey: "pages") as? Int == 81)
    }

    static let policies: [(NSMergePolicy, title: String?, pages: Int64?, isPending: Bool)] = [
        // The owner made it "Emma II" of 500 pages, the context "Emma!" and rated it 5.
        (.error, "Emma II", nil, true),
        (.mergeByPropertyStoreTrump, "Emma II", 500, false),
        (.mergeByPropertyObjectTrump, "Emma!", 500, false),
        (.overwrite, "Emma!", 300, false),
        (.rollback, "Emma II", 500, false),
    ]

    @Test("what the owner changed meanwhile is settled by the context's merge policy", arguments: policies)
    func conflicts(policy: NSMergePolicy, title: String?, pages: Int64?, isPending: Bool) throws {
        defer { bridge.close() }
        context.mergePolicy = policy
        let book = try objects("Book")[0]
        book.setValuesForKeys(["title": "Emma!", "rating": 5])
        try handOver()
        try bridge.model.update(
            ObjectReference(entity: "Book", key: 1), ["title": .string("Emma II"), "pages": .integer(500)])
        if isPending {
            let error = #expect(throws: StoreError.self) { try bridge.forward(pending: context) }
            #expect(error?.code == .versionConflict)
            #expect(error?.objects.map(\.object) == [ObjectReference(entity: "Book", key: 1)])
            #expect(book.value(forKey: "title") as? String == "Emma!")
            #expect(context.hasChanges)
            // Refreshed with its changes kept, it goes through.
            context.refresh(book, mergeChanges: true)
            #expect(try bridge.forward(pending: context) != nil)
            #expect(
                try sample.rows("SELECT ZTITLE, ZPAGES FROM ZBOOK WHERE Z_PK = 1") == [[.text("Emma!"), .integer(500)]])
            return
        }
        _ = try bridge.forward(pending: context)
        #expect(!context.hasChanges)
        let rating: SQLValue = policy == .rollback ? .null : .real(5)
        #expect(
            try sample.rows("SELECT ZTITLE, ZPAGES, ZRATING FROM ZBOOK WHERE Z_PK = 1")
                == [[title.map { .text($0) } ?? .null, pages.map { .integer($0) } ?? .null, rating]])
        #expect(book.value(forKey: "title") as? String == title)
    }

    @Test("a row that only got a version is no conflict; one that is gone is")
    func versionsAndDeletes() throws {
        defer { bridge.close() }
        let books = try objects("Book")
        books[0].setValue(1, forKey: "pages")
        books[1].setValue(1, forKey: "pages")
        try handOver()
        let tag = ObjectReference(entity: "Tag", key: 1)
        _ = try bridge.model.save(
            ObjectBatch([
                .update(
                    tag, values: ["books": .toMany([.existing(ObjectReference(entity: "Book", key: 1))])],
                    expecting: nil)
            ]))
        _ = try bridge.model.save(ObjectBatch([.delete(ObjectReference(entity: "Book", key: 2), expecting: nil)]))
        let error = #expect(throws: StoreError.self) { try bridge.forward(pending: context) }
        #expect(error?.code == .versionConflict)
        #expect(error?.objects.map(\.object) == [ObjectReference(entity: "Book", key: 2)])
        context.refresh(books[1], mergeChanges: false)
        #expect(try bridge.forward(pending: context) != nil)
        #expect(try sample.rows("SELECT ZPAGES FROM ZBOOK WHERE Z_PK = 1") == [[.integer(1)]])
    }

    @Test("a unique value that the owner has taken: the row and its owner are named, and nothing is lost")
    func unique() throws {
        defer { bridge.close() }
        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        tag.setValue("poem", forKey: "name")
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
        book.setValue("Odes", forKey: "title")
        try handOver()
        let taken = try bridge.model.insert("Tag", ["name": .string("poem")])
        let before = try sample.rows("SELECT count(*) FROM ATRANSACTION")
        let error = #expect(throws: StoreError.self) { try bridge.forward(pending: context) }
        #expect(error?.code == .uniqueConflict)
        #expect(error?.objects.last?.object == taken)
        #expect(error?.objects.last?.owner == .model)
        #expect(error?.objects.last?.epoch == 2)
        #expect(error?.message.contains("\(taken), owned by the model stack (epoch 2),") == true)
        #expect(context.insertedObjects == [tag, book])
        #expect(try sample.rows("SELECT count(*) FROM ATRANSACTION") == before)
        tag.setValue("verse", forKey: "name")
        #expect(try bridge.forward(pending: context) != nil)
        #expect(!context.hasChanges)
    }

    @Test("validation errors are typed, and a context of the wrong kind is refused")
    func refusals() throws {
        defer { bridge.close() }
        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        try handOver()
        let invalid = #expect(throws: StoreError.self) { try bridge.forward(pending: context) }
        #expect(invalid?.code == .validationFailed)
        #expect(invalid?.objects.map(\.property) == ["name"])
        #expect(context.insertedObjects == [tag])
        let own = #expect(throws: StoreError.self) { try embedded.forward(pending: context) }
        #expect(own?.code == .refused)
        let other = try BridgeSample()
        let stranger = try other.open()
        defer { stranger.close() }
        let elsewhere = #expect(throws: StoreError.self) { try stranger.model.forward(pending: context) }
        #expect(elsewhere?.code == .otherStore)
        #expect(context.insertedObjects == [tag])
    }

    @Test("changes that are still this stack's own are named, and nothing of either is written")
    func mixed() throws {
        defer { bridge.close() }
        let book = try objects("Book")[0]
        book.setValue("Emma!", forKey: "title")
        let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
        shelf.setValue("A", forKey: "label")
        try handOver()
        let error = #expect(throws: StoreError.self) { try bridge.forward(pending: context) }
        #expect(error?.code == .ownershipViolation)
        #expect(error?.objects.map(\.object.entity) == ["Shelf"])
        #expect(context.updatedObjects == [book] && context.insertedObjects == [shelf])
        #expect(try sample.rows("SELECT count(*) FROM ZSHELF") == [[.integer(0)]])
    }

    @Test("after a switch and back the epoch is stale, and another instance of the same stack saves")
    func staleEpoch() throws {
        defer { bridge.close() }
        let book = try objects("Book")[0]
        book.setValue("Emma!", forKey: "title")
        _ = try bridge.handover("Book", to: .model)
        _ = try bridge.handover("Book", to: .legacy)
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .staleEpoch)
        let number = try #require(try bridge.forward(pending: context))
        #expect(
            try sample.rows("SELECT STACK, INSTANCE, EPOCHS FROM COEXIST_TRANSACTION WHERE NUMBER = \(number)")
                == [[.text("legacy"), .text(bridge.legacy.instanceName), .text("Book=3")]])
        #expect(book.value(forKey: "title") as? String == "Emma!" && !context.hasChanges)
        // What it replayed brought its epoch up to date too.
        book.setValue("Emma?", forKey: "title")
        try context.save()
        #expect(try Audit.run(Store.open(sample.path)).violations == [])
    }

    @Test("a cascade is the owner's to carry out")
    func cascade() throws {
        defer { bridge.close() }
        let author = try bridge.legacy.insert("Author", ["name": .string("Austen")])
        _ = try bridge.legacy.save(
            ObjectBatch([
                .update(
                    author, values: ["books": .toMany((1...3).map { .existing(.init(entity: "Book", key: $0)) })],
                    expecting: nil)
            ]))
        try embedded.replay()
        context.delete(try context.existingObject(with: try context.objectID(for: author)))
        for entity in ["Book", "Person"] { _ = try bridge.handover(entity, to: .model) }
        try refused()
        #expect(try bridge.forward(pending: context) != nil)
        #expect(
            try sample.rows("SELECT (SELECT count(*) FROM ZBOOK) + (SELECT count(*) FROM ZPERSON)") == [[.integer(0)]])
        #expect(try Audit.run(Store.open(sample.path)).violations == [])
    }

    @Test("what the owner changed since it was read is not deleted, but by a policy that says so")
    func deletesOfWhatChanged() throws {
        defer { bridge.close() }
        let book = try objects("Book")[0]
        #expect(book.value(forKey: "pages") as? Int == 300)
        context.delete(book)
        try handOver()
        let reference = ObjectReference(entity: "Book", key: 1)
        try bridge.model.update(reference, ["pages": .integer(301)])
        let error = #expect(throws: StoreError.self) { try bridge.forward(pending: context) }
        #expect(error?.code == .versionConflict)
        #expect(error?.objects.map(\.object) == [reference])
        #expect(context.hasChanges)
        context.mergePolicy = .overwrite
        #expect(try bridge.forward(pending: context) != nil)
        #expect(try sample.rows("SELECT count(*) FROM ZBOOK WHERE Z_PK = 1") == [[.integer(0)]])
    }
}
